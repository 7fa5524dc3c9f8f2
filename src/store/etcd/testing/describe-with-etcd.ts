import { afterAll, beforeAll, describe, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../../base/index.ts';
import { EtcdStore, type EtcdStoreOptions } from '../etcd-store.ts';
import { findEtcd } from './etcd-binary.ts';
import { EtcdProcess, type EtcdProcessOptions } from './etcd-process.ts';

export const NO_ETCD = 'there is no etcd on the PATH, and KEELSON_ETCD does not name one';

/** Tests that need an etcd of their own; it is started before the first and ended after the last of them. */
export function describeWithEtcd(
  name: string,
  body: (etcd: () => EtcdProcess) => void,
  options: Omit<EtcdProcessOptions, 'binary'> = {},
): void {
  const binary = findEtcd();
  if (binary === undefined) {
    console.info(`${name} is not tested: ${NO_ETCD}`);
    test.skip(`${name}: ${NO_ETCD}`);
    return;
  }
  describe(name, () => {
    let etcd: EtcdProcess | undefined;
    beforeAll(async () => {
      etcd = await EtcdProcess.start({ ...options, binary });
    });
    afterAll(() => etcd?.[Symbol.asyncDispose]());
    body(() => etcd as EtcdProcess);
  });
}

/** A store on these servers, with real time and chance. */
export function openStore(
  etcds: EtcdProcess | readonly EtcdProcess[],
  options: Partial<EtcdStoreOptions> = {},
): EtcdStore {
  const endpoints = (Array.isArray(etcds) ? (etcds as readonly EtcdProcess[]) : [etcds as EtcdProcess]).map(
    ({ endpoint }) => endpoint,
  );
  return new EtcdStore({ endpoints, clock: new RealClock(), random: new CryptoRandom(), ...options });
}
