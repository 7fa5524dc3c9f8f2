import type { Clock } from '../base/index.ts';
/** A position in the store's history: one counter for all keys, as in etcd. 0 means "nothing was ever written". */
export type Revision = number;

/** One key as it stood at some revision. */
export interface Entry {
  readonly key: string;
  /** Never changed in place; the same `Uint8Array` object is handed to every reader of an in-process store. */
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
  /** At most so many entries; `more` in the answer tells whether any were left. 0 or absent: all. */
  readonly limit?: number;
  /** Read the store as it was at this revision; absent: now. */
  readonly at?: Revision;
  /** What a copy has will do, if it is as new as this revision, also when others have written since; 0 takes any. Absent: the newest. */
  readonly notOlderThan?: Revision;
  readonly signal?: AbortSignal;
}

/** How one key is read; see `RangeOptions`. */
export type ReadOptions = Omit<RangeOptions, 'limit'>;

export interface RangeResult {
  readonly entries: readonly Entry[];
  readonly more: boolean;
  /** How many entries the whole range has at that revision, whatever the limit. */
  readonly count: number;
  /** The store's revision when the range was read (not `at`). */
  readonly revision: Revision;
}

export type Operation =
  | {
      readonly type: 'put';
      readonly key: string;
      /** Handed over: the store may keep this very array, so it must not be changed afterwards. */
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
  /** Each key at most once. What changes nothing (deleting an absent key) takes no revision. */
  readonly operations: readonly Operation[];
}

export type CommitResult =
  | { readonly ok: true; readonly revision: Revision }
  /** Some condition did not hold; nothing was written. `current` has the entry of each condition's key, in order. */
  | { readonly ok: false; readonly revision: Revision; readonly current: readonly (Entry | undefined)[] };

export type StoreEvent =
  | { readonly type: 'put'; readonly entry: Entry; readonly previous: Entry | undefined }
  | {
      readonly type: 'delete';
      readonly key: string;
      readonly revision: Revision;
      readonly previous: Entry | undefined;
    };

/** What a watch yields: the events of one or more whole revisions, in order; none at all is a progress mark. */
export interface WatchBatch {
  readonly events: readonly StoreEvent[];
  /** Every event up to and including this revision has been delivered. */
  readonly revision: Revision;
}

export interface WatchOptions {
  /** The first revision to deliver. */
  readonly from: Revision;
  readonly signal: AbortSignal;
  /** Which events the reader wants, asked at once when they happen: others may be left out, and count as delivered. */
  readonly concerns?: (event: StoreEvent) => boolean;
}

/**
 * Keys, values and history: all that the API server needs from its storage.
 *
 * Guarantees: a transaction is applied whole or not at all, and a successful `commit` is as durable as the backend
 * promises before it resolves; every transaction that writes takes exactly one revision; reads see every commit that
 * resolved before they were called. What is refused or fails rejects with a `StoreError`; reading at a revision older
 * than the kept history is `Compacted`, at one not yet written `FutureRevision`.
 * After disposal everything rejects with `Unavailable`.
 */
export interface Store extends AsyncDisposable {
  /** The newest revision; a linearizable read, unless `notOlderThan` is content with less. */
  revision(options?: Pick<ReadOptions, 'notOlderThan'>): Promise<Revision>;
  get(key: string, options?: ReadOptions): Promise<Entry | undefined>;
  range(range: KeyRange, options?: RangeOptions): Promise<RangeResult>;
  commit(transaction: Transaction, options?: { readonly signal?: AbortSignal }): Promise<CommitResult>;
  /**
   * Delivers every change in `range` from `options.from` on, oldest first.
   *
   * Guarantees: no gap, no duplicate, the events of one revision in one batch; a progress mark (a batch without
   * events) after `requestProgress()`.
   * A `from` that is still to come is waited for. The watch is open from the first `next()` on.
   * Ends: when the signal aborts or the store is disposed; by throwing a `StoreError`: `Compacted` when `from` is older
   * than the kept history, `SlowWatcher` when the reader lets more than the backend's limit pile up.
   *
   * Example: puts at 5 and 6, delete at 7; `from: 6` yields {put@6}, {delete@7}, then waits.
   */
  watch(range: KeyRange, options: WatchOptions): AsyncIterable<WatchBatch>;
  /** Asks that every open watch yields a batch whose revision is at least the newest one at the time of this call. */
  requestProgress(): Promise<void>;
  /**
   * Forgets history before `revision`: reading or watching from before it answers `Compacted`, from it on still works.
   *
   * What has been compacted already is left as it is; a revision that is still to come answers `FutureRevision`.
   */
  compact(revision: Revision): Promise<void>;
}

/** A `Store` whose contents are in this process, where reading needs no waiting. */
export interface InProcessStore extends Store {
  /** True where nobody else writes: what is read at once is as new as what can be waited for. */
  readonly isNewest?: boolean;
  /** `revision()` at once. */
  revisionNow(): Revision;
  /** `get` at once. */
  readNow(key: string): Entry | undefined;
  /** `range` at once; the signal is of no use here. */
  rangeNow(range: KeyRange, options?: RangeOptions): RangeResult;
}

/** A store that knows more about its state than reading from it would show. */
export interface HealthReporting {
  /** Resolves when writes can succeed; rejects with a `StoreError` that says why they cannot. */
  checkHealth(): Promise<void>;
}

/** What a store holds at one moment, without what led to it. */
export interface StoreContents {
  readonly revision: Revision;
  /** In the order of their keys. */
  readonly entries: readonly Entry[];
  /** When keys are to be deleted, in milliseconds since the Unix epoch; those that never are do not occur. */
  readonly deadlinesMs: ReadonlyMap<string, number>;
}

/** A store that can be copied in constant time. */
export interface ForkableStore extends InProcessStore {
  /** An independent store with the same contents and history; neither sees the other's later writes. */
  fork(options?: { readonly clock?: Clock }): ForkableStore;
  /** What it holds now. */
  contents(): StoreContents;
}
