import type { Clock } from '../../base/index.ts';
import { Expiry } from '../mvcc/expiry.ts';
import { Mvcc, type MvccOptions } from '../mvcc/mvcc.ts';
import { conditionsHold, recordOf } from '../mvcc/revision-record.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import type { CommitResult, Entry, ForkableStore, Operation, Revision, Transaction } from '../store.ts';
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
export class MemoryStore extends MvccStore implements ForkableStore {
  readonly #mvcc: Mvcc;
  readonly #options: MemoryStoreOptions;
  readonly #expiry: Expiry;

  /** Use `openMemoryStore`. */
  constructor(mvcc: Mvcc, options: MemoryStoreOptions) {
    super(mvcc);
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

  async commit(transaction: Transaction, options: { readonly signal?: AbortSignal } = {}): Promise<CommitResult> {
    options.signal?.throwIfAborted();
    const mvcc = this.open();
    checkTransaction(transaction, this.#options.limits ?? {});
    const lookUp = (key: string): Entry | undefined => mvcc.get(key);
    if (!conditionsHold(transaction.conditions, lookUp)) {
      return { ok: false, revision: mvcc.revision, current: transaction.conditions.map(({ key }) => lookUp(key)) };
    }
    this.#write(transaction.operations);
    return { ok: true, revision: mvcc.revision };
  }

  async compact(revision: Revision): Promise<void> {
    this.open().compact(revision);
  }

  /** The copy goes by this store's clock, unless it is given its own. */
  fork(options: { readonly clock?: Clock } = {}): MemoryStore {
    return new MemoryStore(this.open().fork(), { ...this.#options, clock: options.clock ?? this.#options.clock });
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
}
