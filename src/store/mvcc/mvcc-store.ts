import { StoreError } from '../errors.ts';
import type {
  CommitResult,
  Entry,
  InProcessStore,
  KeyRange,
  PastRevisions,
  RangeOptions,
  RangeResult,
  Revision,
} from '../store.ts';
import type { Transaction, WatchBatch, WatchOptions } from '../store.ts';
import type { Mvcc } from './mvcc.ts';

/** Reads and watches of a store whose contents are in memory. Subclasses write. */
export abstract class MvccStore implements InProcessStore {
  readonly isNewest = true;
  readonly #mvcc: Mvcc;

  constructor(mvcc: Mvcc) {
    this.#mvcc = mvcc;
  }

  abstract commit(transaction: Transaction, options?: { readonly signal?: AbortSignal }): Promise<CommitResult>;
  abstract compact(revision: Revision): Promise<void>;
  abstract [Symbol.asyncDispose](): Promise<void>;

  get past(): PastRevisions {
    return this.open().past;
  }

  revisionNow(): Revision {
    return this.open().revision;
  }

  readNow(key: string): Entry | undefined {
    return this.open().get(key);
  }

  rangeNow(range: KeyRange, options?: RangeOptions): RangeResult {
    return this.open().range(range, options);
  }

  async revision(): Promise<Revision> {
    return this.revisionNow();
  }

  async get(
    key: string,
    options: { readonly at?: Revision; readonly signal?: AbortSignal } = {},
  ): Promise<Entry | undefined> {
    options.signal?.throwIfAborted();
    return options.at === undefined ? this.readNow(key) : this.open().getAt(key, options.at);
  }

  async range(range: KeyRange, options?: RangeOptions): Promise<RangeResult> {
    options?.signal?.throwIfAborted();
    return this.rangeNow(range, options);
  }

  watch(range: KeyRange, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.#mvcc.watch(range, options);
  }

  async requestProgress(): Promise<void> {
    this.open().requestProgress();
  }

  /** The contents; throws when the store is closed. */
  protected open(): Mvcc {
    if (this.#mvcc.isClosed) throw new StoreError('Unavailable', 'Cannot use the store: it is closed');
    return this.#mvcc;
  }
}
