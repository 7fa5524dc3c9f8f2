import type { Clock } from '../base/index.ts';
/** A position in the store's history: one counter for all keys, as in etcd. 0 means "nothing was ever written". */
export type Revision = number;

/** One key as it stood at some revision. */
export interface Entry {
  readonly key: string;
  /** Never changed in place; every reader of an in-process store gets the same `Uint8Array` object. */
  readonly value: Uint8Array;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
}

/** Keys `from` (inclusive) to `to` (exclusive), ordered by UTF-8 bytes. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

export interface RangeOptions {
  /** Max entries; `more` in the result says whether any were left out. 0 or absent: all. */
  readonly limit?: number;
  /** Read the store as it was at this revision; absent: now. */
  readonly at?: Revision;
  /**
   * Accept a copy that is at least as new as this revision, even if others have written since; 0 accepts any. Absent:
   * the newest.
   */
  readonly notOlderThan?: Revision;
  readonly signal?: AbortSignal;
}

/** Options for reading one key; see `RangeOptions`. */
export type ReadOptions = Omit<RangeOptions, 'limit'>;

export interface RangeResult {
  readonly entries: readonly Entry[];
  readonly more: boolean;
  /** Number of entries in the whole range at that revision, whatever the limit. */
  readonly count: number;
  /** The store's revision when the range was read (not `at`). */
  readonly revision: Revision;
}

export type Operation =
  | {
      readonly type: 'put';
      readonly key: string;
      /** Ownership passes to the store, which may keep this very array: it must not be changed afterwards. */
      readonly value: Uint8Array;
      /** The key is deleted this many seconds after the write, unless written again. */
      readonly ttlSeconds?: number;
    }
  | { readonly type: 'delete'; readonly key: string };

/** Holds when the key's modRevision equals `modRevision`; 0 means "the key is absent". */
export interface Condition {
  readonly key: string;
  readonly modRevision: Revision;
}

export interface Transaction {
  readonly conditions: readonly Condition[];
  /** Each key at most once. A transaction that changes nothing (deleting an absent key) takes no revision. */
  readonly operations: readonly Operation[];
}

export type CommitResult =
  | { readonly ok: true; readonly revision: Revision }
  /** A condition did not hold and nothing was written. `current` has the entry of each condition's key, in order. */
  | { readonly ok: false; readonly revision: Revision; readonly current: readonly (Entry | undefined)[] };

export type StoreEvent =
  | { readonly type: 'put'; readonly entry: Entry; readonly previous: Entry | undefined }
  | {
      readonly type: 'delete';
      readonly key: string;
      readonly revision: Revision;
      readonly previous: Entry | undefined;
    };

/** What a watch yields: the events of one or more whole revisions, in order; without events it is a progress mark. */
export interface WatchBatch {
  readonly events: readonly StoreEvent[];
  /** Every event up to and including this revision has been delivered. */
  readonly revision: Revision;
}

export interface WatchOptions {
  /** The first revision to deliver. */
  readonly from: Revision;
  readonly signal: AbortSignal;
  /**
   * Filters events synchronously when they happen: events the reader does not want may be left out, and count as
   * delivered.
   */
  readonly concerns?: (event: StoreEvent) => boolean;
}

/**
 * Keys, values and history: all that the API server needs from its storage.
 *
 * Guarantees: a transaction is applied completely or not at all, and a successful `commit` is as durable as the backend
 * promises before it resolves; every transaction that writes takes exactly one revision; reads see every commit that
 * resolved before they were called. Refusals and failures reject with a `StoreError`; reading at a revision older than
 * the kept history is `Compacted`, at one not yet written `FutureRevision`. After disposal everything rejects with
 * `Unavailable`.
 */
export interface Store extends AsyncDisposable {
  /** The newest revision; a linearizable read, unless `notOlderThan` allows an older one. */
  revision(options?: Pick<ReadOptions, 'notOlderThan'>): Promise<Revision>;
  get(key: string, options?: ReadOptions): Promise<Entry | undefined>;
  range(range: KeyRange, options?: RangeOptions): Promise<RangeResult>;
  commit(transaction: Transaction, options?: { readonly signal?: AbortSignal }): Promise<CommitResult>;
  /**
   * Delivers every change in `range` from `options.from` on, oldest first.
   *
   * Guarantees: no gap, no duplicate, the events of one revision in one batch; a progress mark (a batch without events)
   * after `requestProgress()`. If `from` is in the future, the watch waits for it. The watch is open from the first
   * `next()` on. Ends: when the signal aborts or the store is disposed; by throwing a `StoreError`: `Compacted` when
   * `from` is older than the kept history, `SlowWatcher` when more events wait for the reader than the backend's limit
   * allows.
   *
   * Example: puts at 5 and 6, delete at 7; `from: 6` yields {put@6}, {delete@7}, then waits.
   */
  watch(range: KeyRange, options: WatchOptions): AsyncIterable<WatchBatch>;
  /** Asks that every open watch yields a batch whose revision is at least the newest one at the time of this call. */
  requestProgress(): Promise<void>;
  /**
   * Drops history before `revision`: reading or watching from before it fails with `Compacted`, from it on still works.
   *
   * A revision that is already compacted changes nothing; one in the future fails with `FutureRevision`.
   */
  compact(revision: Revision): Promise<void>;
}

/** One transaction of the kept history. */
export interface PastRevision {
  readonly revision: Revision;
  /** When it was written, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  readonly events: readonly StoreEvent[];
}

/** The kept history, which grows and loses its oldest revisions while it is looked at. It may reach further back than reads and watches do. */
export interface PastRevisions {
  /** The oldest revision that is kept; `last + 1` when there is none. */
  readonly first: Revision;
  readonly last: Revision;
  /** Assumes `first <= revision <= last`. */
  at(revision: Revision): PastRevision;
  /** The entries of a range as they were; a `StoreError`, `Compacted` or `FutureRevision`, where they are not kept. */
  range(range: KeyRange, revision: Revision): readonly Entry[];
}

/** A `Store` whose contents are in this process, so that it can be read synchronously. */
export interface InProcessStore extends Store {
  /** True where there is no other writer: a synchronous read is as new as an asynchronous one. */
  readonly isNewest?: boolean;
  /** The kept history with its times; absent where only another process knows them. */
  readonly past?: PastRevisions;
  /** `revision()`, synchronously. */
  revisionNow(): Revision;
  /** `get`, synchronously. */
  readNow(key: string): Entry | undefined;
  /** `range`, synchronously; the signal is ignored. */
  rangeNow(range: KeyRange, options?: RangeOptions): RangeResult;
}

/** A store that can report problems that reading from it would not show. */
export interface HealthReporting {
  /** Resolves when writes can succeed; rejects with a `StoreError` that says why they cannot. */
  checkHealth(): Promise<void>;
}

/** What a store holds at one moment, without its history. */
export interface StoreContents {
  readonly revision: Revision;
  /** In key order. */
  readonly entries: readonly Entry[];
  /** When keys expire, in milliseconds since the Unix epoch; only keys with a deadline. */
  readonly deadlinesMs: ReadonlyMap<string, number>;
}

/** A store that can be copied in constant time. */
export interface ForkableStore extends InProcessStore {
  /** An independent store with the same contents and history; neither sees the other's later writes. */
  fork(options?: { readonly clock?: Clock }): ForkableStore;
  /** The current contents. */
  contents(): StoreContents;
}
