import { afterAll, beforeAll, describe, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { describeStore } from '../testing/store-contract.ts';
import { EtcdStore } from './etcd-store.ts';
import { findEtcd } from './testing/etcd-binary.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

const binary = findEtcd();

describe.skipIf(binary === undefined)('etcd', () => {
  let etcd: EtcdProcess;
  let corners = 0;
  beforeAll(async () => {
    etcd = await EtcdProcess.start({ binary: binary ?? '' });
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  describeStore('the etcd store', async (options) => {
    const store = new EtcdStore({
      endpoints: [etcd.endpoint],
      clock: new RealClock(),
      random: new CryptoRandom(),
      ...options,
    });
    return {
      store,
      prefix: `/corner-${++corners}/`,
      advance: async () => undefined, // etcd's time is real; the tests wait for what it brings
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  });
});

test.skipIf(binary !== undefined)(
  'is not tested: there is no etcd on the PATH, and KEELSON_ETCD is not set',
  ({ skip }) => {
    skip();
  },
);
