import { type Clock, SortedMap } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import { Deadlines } from '../mvcc/deadlines.ts';
import { Expiry } from '../mvcc/expiry.ts';
import { Mvcc, type MvccOptions } from '../mvcc/mvcc.ts';
import { conditionsHold, type LookUp, recordOf } from '../mvcc/revision-record.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import type { CommitResult, Entry, ForkableStore, Operation, Revision, StoreContents, Transaction } from '../store.ts';
import { checkTransaction, type TransactionLimits } from '../transaction-check.ts';

export interface MemoryStoreOptions extends MvccOptions {
  readonly clock: Clock;
  readonly limits?: TransactionLimits;
  /** Initial contents; default empty. */
  readonly contents?: StoreContents;
}

/** A store that lives in this process's memory. */
export function openMemoryStore({ contents, ...options }: MemoryStoreOptions): MemoryStore {
  return new MemoryStore(contents === undefined ? Mvcc.empty(options) : filled(contents, options), options);
}

function filled({ revision, entries, deadlinesMs }: StoreContents, options: MvccOptions): Mvcc {
  const deadlines = new Deadlines();
  for (const [key, deadlineMs] of deadlinesMs) deadlines.set(key, deadlineMs);
  const map = SortedMap.from(entries.map((entry) => [entry.key, entry] as const));
  return Mvcc.from({ revision, entries: map, deadlines }, options);
}

/** A store in memory. A commit is visible, and delivered to its watchers, before `commit` returns its promise. */
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
    const lookUp = rememberingLast((key) => mvcc.get(key));
    if (!conditionsHold(transaction.conditions, lookUp)) {
      return { ok: false, revision: mvcc.revision, current: transaction.conditions.map(({ key }) => lookUp(key)) };
    }
    this.#write(transaction.operations, lookUp);
    return { ok: true, revision: mvcc.revision };
  }

  async compact(revision: Revision): Promise<void> {
    this.open().compact(revision);
  }

  /** The copy uses this store's clock by default. */
  fork(options: { readonly clock?: Clock } = {}): MemoryStore {
    return new MemoryStore(this.open().fork(), { ...this.#options, clock: options.clock ?? this.#options.clock });
  }

  contents(): StoreContents {
    const mvcc = this.open();
    const { entries, revision } = mvcc.range(prefixRange(''));
    const deadlines = entries.map(({ key }) => [key, mvcc.deadlines.of(key)] as const);
    return { revision, entries, deadlinesMs: new Map(deadlines.filter(([, deadlineMs]) => deadlineMs > 0)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#expiry[Symbol.dispose]();
    await this.#mvcc.close();
  }

  #write(operations: readonly Operation[], lookUp: LookUp = (key) => this.#mvcc.get(key)): void {
    const mvcc = this.#mvcc;
    const timeMs = this.#options.clock.now();
    const record = recordOf(operations, { revision: mvcc.revision + 1, timeMs, lookUp });
    if (record === undefined) return;
    mvcc.append(record);
    this.#expiry.arm();
  }
}

/** Caches the last lookup: most transactions write the one key that they have a condition on. */
function rememberingLast(lookUp: LookUp): LookUp {
  let last: { readonly key: string; readonly entry: Entry | undefined } | undefined;
  return (key) => (last?.key === key ? last : (last = { key, entry: lookUp(key) })).entry;
}
