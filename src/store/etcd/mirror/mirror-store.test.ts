import { afterAll, beforeAll, describe } from 'vitest';
import { CryptoRandom, RealClock } from '../../../base/index.ts';
import { describeStore } from '../../testing/store-contract.ts';
import { EtcdStore } from '../etcd-store.ts';
import { findEtcd } from '../testing/etcd-binary.ts';
import { EtcdProcess } from '../testing/etcd-process.ts';
import { MirrorStore } from './mirror-store.ts';

const binary = findEtcd();

describe.skipIf(binary === undefined)('etcd', () => {
  let etcd: EtcdProcess;
  let corners = 0;
  beforeAll(async () => {
    etcd = await EtcdProcess.start({ binary: binary ?? '' });
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  describeStore('the mirror of an etcd store', async (options) => {
    const clock = new RealClock();
    const prefix = `/corner-${++corners}/`;
    const { watch, limits } = options ?? {};
    const direct = new EtcdStore({ endpoints: [etcd.endpoint], clock, random: new CryptoRandom(), limits });
    const store = new MirrorStore(direct, { root: prefix, watch });
    // a watch that reads from etcd what the copy missed lets nothing pile up, so for that test the copy is made before
    if (watch !== undefined) await store.get(prefix);
    return {
      store,
      prefix,
      advance: async () => undefined, // etcd's time is real; the tests wait for what it brings
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  });
});
