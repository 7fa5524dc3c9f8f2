import type { Entry, Revision } from '../store.ts';

/** A key with its value, and when it is to be deleted, in milliseconds since the Unix epoch; 0 for never. */
export interface SnapshotEntry {
  readonly entry: Entry;
  readonly deadlineMs: number;
}

/** How values are encoded: JSON throughout in the embedded store, what kube-apiserver writes in etcd. */
export type StoredForm = 'embedded' | 'etcd';

export interface SnapshotHead {
  readonly revision: Revision;
  /** True when no process had the store open, so that nobody has seen a later revision. */
  readonly isOfStopped: boolean;
  readonly form: StoredForm;
  /** What '/registry' is called in the etcd that it was read from; values in cipher are bound to that name. */
  readonly etcdPrefix?: string;
  /** When it was taken, in milliseconds since the Unix epoch; 0 when that is not known. */
  readonly takenMs: number;
}

/** All keys of a store as they stood at one revision. Disposing of it lets go of the place that it is read from. */
export interface Snapshot extends AsyncDisposable {
  readonly head: SnapshotHead;
  /** Every key once, in the order of keys; to be read once. Throws a `StoreError` when it turns out not to be whole. */
  readonly batches: AsyncIterable<readonly SnapshotEntry[]>;
}
