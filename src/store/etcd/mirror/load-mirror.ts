import { SortedMap } from '../../../base/index.ts';
import { Deadlines } from '../../mvcc/deadlines.ts';
import { Mvcc, type MvccOptions } from '../../mvcc/mvcc.ts';
import type { Entry, KeyRange } from '../../store.ts';
import type { EtcdStore } from '../etcd-store.ts';
import { kept } from './apply-batch.ts';
import type { OwnValues } from './own-values.ts';

export interface LoadOptions extends MvccOptions {
  readonly signal: AbortSignal;
  /** The mirror as it was before, whose entries are kept where nothing has changed. */
  readonly before: Mvcc | undefined;
  readonly ownValues: OwnValues;
}

/** Everything that etcd has in a range, as it is at one revision. */
export async function loadMirror(etcd: EtcdStore, range: KeyRange, options: LoadOptions): Promise<Mvcc> {
  const { before, ownValues, signal, history, watch } = options;
  const entries = SortedMap.empty<Entry>().editable();
  let revision = 0;
  for await (const page of etcd.pages(range, { signal })) {
    revision = page.revision;
    for (const entry of page.entries) {
      const known = before?.get(entry.key);
      entries.set(entry.key, known?.modRevision === entry.modRevision ? known : kept(entry, ownValues));
    }
  }
  const state = { revision, entries: entries.snapshot(), deadlines: new Deadlines() };
  return Mvcc.from(state, { history, watch });
}
