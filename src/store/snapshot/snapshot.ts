import type { Entry, Revision } from '../store.ts';

/** A key with its value, and when it expires, in milliseconds since the Unix epoch; 0 for never. */
export interface SnapshotEntry {
  readonly entry: Entry;
  readonly deadlineMs: number;
}

/** How values are encoded: as JSON in the embedded store, as kube-apiserver writes them in etcd. */
export type StoredForm = 'embedded' | 'etcd';

export interface SnapshotHead {
  readonly revision: Revision;
  /** True when no process had the store open, so that no client has seen a later revision. */
  readonly isOfClosedStore: boolean;
  readonly form: StoredForm;
  /** The name of '/registry' in the etcd it was read from; encrypted values are bound to that name. */
  readonly etcdPrefix?: string;
  /** When it was taken, in milliseconds since the Unix epoch; 0 when unknown. */
  readonly takenMs: number;
}

/** All keys of a store at one revision. Disposing releases its source. */
export interface Snapshot extends AsyncDisposable {
  readonly head: SnapshotHead;
  /**
   * Every key once, in key order; can be read once. Throws a `StoreError` if the snapshot turns out to be incomplete.
   */
  readonly batches: AsyncIterable<readonly SnapshotEntry[]>;
}
