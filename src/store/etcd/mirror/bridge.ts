import type { KeyRange, Revision, WatchBatch, WatchOptions } from '../../store.ts';
import type { EtcdStore } from '../etcd-store.ts';

/**
 * The part of a watch that is older than the mirror's history, from etcd itself, as far as `until`, which etcd is known
 * to have reached. Returns the revision to go on from.
 */
export async function* bridge(
  etcd: EtcdStore,
  range: KeyRange,
  options: WatchOptions & { readonly until: Revision },
): AsyncGenerator<WatchBatch, Revision, undefined> {
  const { from, until, signal } = options;
  const watch = etcd.openWatch(range, { from, signal, hasPrevious: true });
  watch.wantProgress(until);
  for await (const batch of watch) {
    if (batch.events.length > 0) yield batch;
    if (batch.revision >= until) return batch.revision + 1;
  }
  return until + 1;
}
