import { Compactor } from './compactor.ts';
import { CopyMark } from './copy/copy-mark.ts';
import { EtcdStore, type EtcdStoreOptions } from './etcd-store.ts';
import { MirrorStore, type MirrorStoreOptions } from './mirror/mirror-store.ts';

export interface EtcdOptions extends EtcdStoreOptions, Pick<MirrorStoreOptions, 'history' | 'maxWaitMs'> {
  /** How often etcd is compacted; 5 minutes unless given, never if 0. Servers on the same etcd take turns. */
  readonly compactionIntervalMs?: number;
}

/**
 * Opens an etcd cluster as the store of an API server: with a copy in this process, and compacted regularly.
 *
 * Rejects with `Unavailable` when no member answers in time, and when what is there is a copy that is not finished.
 */
export async function openEtcdStore(options: EtcdOptions): Promise<MirrorStore> {
  const { watch, history, maxWaitMs, clock, log, compactionIntervalMs: intervalMs } = options;
  const etcd = new EtcdStore({ ...options, watch: undefined }); // the limits are for those who watch the copy
  try {
    await etcd.revision();
    await new CopyMark(etcd.client, { prefix: options.prefix }).isBegun(); // refuses a copy that is not finished
  } catch (error) {
    await etcd[Symbol.asyncDispose]();
    throw error;
  }
  const background = intervalMs === 0 ? [] : [new Compactor(etcd.client, { clock, log, intervalMs })];
  return new MirrorStore(etcd, { watch, history, maxWaitMs, log, background });
}
