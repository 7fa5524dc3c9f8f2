import { discardLogger, type Duration, millisecondsOf } from '../../base/index.ts';
import { Compactor } from './compactor.ts';
import { CopyMark } from './copy/copy-mark.ts';
import { EtcdStore, type EtcdStoreOptions } from './etcd-store.ts';
import { MirrorStore, type MirrorStoreOptions } from '../mirror/mirror-store.ts';
import { reachEtcd } from './reach-etcd.ts';

export interface EtcdOptions extends EtcdStoreOptions, Pick<MirrorStoreOptions, 'history'> {
  /** Maximum time that reads wait for the copy to catch up; the default is the mirror's. */
  readonly maxWait?: Duration;
  /** How often etcd is compacted; default 5 minutes, 0 for never. Servers on the same etcd take turns. */
  readonly compactionInterval?: Duration;
  /** With a signal, waits until it aborts for an etcd that does not answer; without one, tries once. */
  readonly signal?: AbortSignal;
}

/**
 * Opens an etcd cluster as the store of an API server: with a copy in this process, and compacted regularly.
 *
 * Rejects with `Unavailable` when no member answers in time, or with the signal's reason; also when the etcd holds an
 * unfinished copy.
 */
export async function openEtcdStore(options: EtcdOptions): Promise<MirrorStore> {
  const { watch, history, maxWait, clock, log, signal, compactionInterval } = options;
  const intervalMs = compactionInterval === undefined ? undefined : millisecondsOf(compactionInterval);
  const maxWaitMs = maxWait === undefined ? undefined : millisecondsOf(maxWait);
  const etcd = new EtcdStore({ ...options, watch: undefined }); // the watch limits are for watches of the copy
  try {
    if (signal === undefined) await etcd.revision();
    else await reachEtcd(etcd, { endpoints: options.endpoints, clock, log: log ?? discardLogger, signal });
    await new CopyMark(etcd.client, { prefix: options.prefix }).isBegun(); // throws for an unfinished copy
  } catch (error) {
    await etcd[Symbol.asyncDispose]();
    throw error;
  }
  const background = intervalMs === 0 ? [] : [new Compactor(etcd.client, { clock, log, intervalMs })];
  return new MirrorStore(etcd, { watch, history, maxWaitMs, log, background });
}
