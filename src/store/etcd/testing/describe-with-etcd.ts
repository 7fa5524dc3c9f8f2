import { afterAll, beforeAll, describe } from 'vitest';
import { CryptoRandom, RealClock } from '../../../base/index.ts';
import { findTool } from '../../../base/testing/find-tool.ts';
import { requires } from '../../../base/testing/requires.ts';
import { EtcdStore, type EtcdStoreOptions } from '../etcd-store.ts';
import { EtcdProcess, type EtcdProcessOptions } from './etcd-process.ts';

/** Tests with a dedicated etcd, which runs from the first to the last of them. */
export function describeWithEtcd(
  name: string,
  body: (etcd: () => EtcdProcess) => void,
  options: Omit<EtcdProcessOptions, 'binary'> = {},
): void {
  describe(name, requires('etcd'), () => {
    let etcd: EtcdProcess | undefined;
    beforeAll(async () => {
      etcd = await EtcdProcess.start({ ...options, binary: findTool('etcd') ?? '' });
    });
    afterAll(() => etcd?.[Symbol.asyncDispose]());
    body(() => etcd as EtcdProcess);
  });
}

/** A store on these servers, with real time and randomness. */
export function openStore(
  etcds: EtcdProcess | readonly EtcdProcess[],
  options: Partial<EtcdStoreOptions> = {},
): EtcdStore {
  const endpoints = (Array.isArray(etcds) ? (etcds as readonly EtcdProcess[]) : [etcds as EtcdProcess]).map(
    ({ endpoint }) => endpoint,
  );
  return new EtcdStore({ endpoints, clock: new RealClock(), random: new CryptoRandom(), ...options });
}
