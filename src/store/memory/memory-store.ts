import type { Clock } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import { Expiry } from '../mvcc/expiry.ts';
import { Mvcc, type MvccOptions } from '../mvcc/mvcc.ts';
import { conditionsHold, recordOf } from '../mvcc/revision-record.ts';
import type { CommitResult, Entry, ForkableStore, KeyRange, Operation } from '../store.ts';
import type { RangeOptions, RangeResult, Revision, Transaction, WatchBatch, WatchOptions } from '../store.ts';
import { checkTransaction, type TransactionLimits } from '../transaction-check.ts';

export interface MemoryStoreOptions extends MvccOptions {
  readonly clock: Clock;
  readonly limits?: TransactionLimits;
}

/** An empty store that lives as long as this process, or shorter. */
export function openMemoryStore(options: MemoryStoreOptions): MemoryStore {
  return new MemoryStore(Mvcc.empty(options), options);
}

/** A store in memory. A commit is visible, and its watchers are told, before `commit` returns its promise. */
export class MemoryStore implements ForkableStore {
  readonly #mvcc: Mvcc;
  readonly #options: MemoryStoreOptions;
  readonly #expiry: Expiry;

  /** Use `openMemoryStore`. */
  constructor(mvcc: Mvcc, options: MemoryStoreOptions) {
    this.#mvcc = mvcc;
    this.#options = options;
    this.#expiry = new Expiry({
      clock: options.clock,
      deadlines: mvcc.deadlines,
      expire: async (keys) => {
        this.#write(keys.map((key) => ({ type: 'delete', key })));
        return true;
      },
    });
    this.#expiry.arm();
  }

  revisionNow(): Revision {
    return this.#open().revision;
  }

  readNow(key: string): Entry | undefined {
    return this.#open().get(key);
  }

  rangeNow(range: KeyRange, options?: RangeOptions): RangeResult {
    return this.#open().range(range, options);
  }

  async revision(): Promise<Revision> {
    return this.revisionNow();
  }

  async get(
    key: string,
    options: { readonly at?: Revision; readonly signal?: AbortSignal } = {},
  ): Promise<Entry | undefined> {
    options.signal?.throwIfAborted();
    return options.at === undefined ? this.readNow(key) : this.#open().getAt(key, options.at);
  }

  async range(range: KeyRange, options?: RangeOptions): Promise<RangeResult> {
    options?.signal?.throwIfAborted();
    return this.rangeNow(range, options);
  }

  async commit(transaction: Transaction, options: { readonly signal?: AbortSignal } = {}): Promise<CommitResult> {
    options.signal?.throwIfAborted();
    const mvcc = this.#open();
    checkTransaction(transaction, this.#options.limits ?? {});
    const lookUp = (key: string): Entry | undefined => mvcc.get(key);
    if (!conditionsHold(transaction.conditions, lookUp)) {
      return { ok: false, revision: mvcc.revision, current: transaction.conditions.map(({ key }) => lookUp(key)) };
    }
    this.#write(transaction.operations);
    return { ok: true, revision: mvcc.revision };
  }

  watch(range: KeyRange, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.#mvcc.watch(range, options);
  }

  async requestProgress(): Promise<void> {
    this.#open().requestProgress();
  }

  async compact(revision: Revision): Promise<void> {
    this.#open().compact(revision);
  }

  /** The copy goes by this store's clock, unless it is given its own. */
  fork(options: { readonly clock?: Clock } = {}): MemoryStore {
    return new MemoryStore(this.#open().fork(), { ...this.#options, clock: options.clock ?? this.#options.clock });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#expiry[Symbol.dispose]();
    await this.#mvcc.close();
  }

  #write(operations: readonly Operation[]): void {
    const mvcc = this.#mvcc;
    const timeMs = this.#options.clock.now();
    const record = recordOf(operations, { revision: mvcc.revision + 1, timeMs, lookUp: (key) => mvcc.get(key) });
    if (record === undefined) return;
    mvcc.append(record);
    this.#expiry.arm();
  }

  #open(): Mvcc {
    if (this.#mvcc.isClosed) throw new StoreError('Unavailable', 'Cannot use the store: it is closed');
    return this.#mvcc;
  }
}
