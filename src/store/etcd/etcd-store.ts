import { type Clock, discardLogger, type Logger, type Random } from '../../base/index.ts';
import { isStoreError, StoreError } from '../errors.ts';
import type { MirroredStore } from '../mirror/mirrored-store.ts';
import type { WatchLimits } from '../mvcc/watch-hub.ts';
import type {
  CommitResult,
  Entry,
  KeyRange,
  RangeOptions,
  RangeResult,
  Revision,
  Transaction,
  WatchBatch,
  WatchOptions,
} from '../store.ts';
import { checkTransaction, type TransactionLimits } from '../transaction-check.ts';
import { EtcdClient, type EtcdClientOptions } from './etcd-client.ts';
import { isCompacted, isLeaseNotFound, toStoreError } from './etcd-errors.ts';
import { timesToLive, toCommitResult, toTxn } from './etcd-transaction.ts';
import { EtcdWatch, type EtcdWatchOptions } from './etcd-watch.ts';
import { type KeyNames, keyNames } from './key-names.ts';
import { Leases } from './leases.ts';
import { COMPACT, TXN } from './messages/methods.ts';
import { ProgressSupport } from './progress-support.ts';
import { type Page, rangePages, readKey, readRevision, type RevisionOptions } from './range-pages.ts';

export interface EtcdStoreOptions extends EtcdClientOptions {
  /** The name of '/registry' in etcd; default '/registry'. */
  readonly prefix?: string;
  readonly limits?: TransactionLimits;
  readonly watch?: WatchLimits;
}

/** Same as kube-apiserver's `--etcd-healthcheck-timeout`. */
const HEALTH_TIMEOUT_MS = 2000;

/** A compaction may overtake a read of many pages, which then starts again, up to this many times. */
const MAX_READ_STARTS = 3;

/** An etcd cluster as a store. Nothing is cached: each read and each watch goes to etcd. */
export class EtcdStore implements MirroredStore {
  readonly #options: EtcdStoreOptions;
  readonly #client: EtcdClient;
  readonly #names: KeyNames;
  readonly #leases: Leases;
  readonly #progress: ProgressSupport;
  readonly #log: Logger;
  readonly #watches = new Set<EtcdWatch>();
  readonly #closing = new AbortController();

  constructor(options: EtcdStoreOptions) {
    this.#options = options;
    this.#client = new EtcdClient(options);
    this.#names = keyNames(options.prefix);
    this.#leases = new Leases(this.#client, options);
    this.#log = options.log ?? discardLogger;
    this.#progress = new ProgressSupport(this.#log);
  }

  get client(): EtcdClient {
    return this.#client;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get random(): Random {
    return this.#options.random;
  }

  async revision(options: RevisionOptions = {}): Promise<Revision> {
    return this.#try('read the revision', options.signal, () => readRevision(this.#client, options));
  }

  /** Reads from a quorum. */
  async checkHealth(): Promise<void> {
    await this.revision({ timeoutMs: HEALTH_TIMEOUT_MS });
  }

  async get(
    key: string,
    options: { readonly at?: Revision; readonly signal?: AbortSignal } = {},
  ): Promise<Entry | undefined> {
    const { at, signal } = options;
    const action = `read key ${JSON.stringify(key)}`;
    if (at !== undefined) refuseEarly(at, action);
    return this.#try(action, signal, () => readKey(this.#client, key, { at, signal, names: this.#names }));
  }

  async range(range: KeyRange, options: RangeOptions = {}): Promise<RangeResult> {
    const entries: Entry[] = [];
    for (let starts = 1; ; starts++) {
      try {
        let last: Page | undefined;
        for await (const page of this.pages(range, options)) {
          for (const entry of page.entries) entries.push(entry);
          last = page;
        }
        return { entries, more: last?.more ?? false, count: last?.count ?? 0, revision: last?.revision ?? 0 };
      } catch (error) {
        const isOvertaken = options.at === undefined && isStoreError(error, 'Compacted');
        if (!isOvertaken || starts === MAX_READ_STARTS) throw error;
        entries.length = 0;
      }
    }
  }

  /** Reads `range` page by page, all at the same revision. */
  async *pages(range: KeyRange, options: RangeOptions = {}): AsyncGenerator<Page, void, undefined> {
    const { at, limit = 0, signal } = options;
    const action = `read keys ${JSON.stringify(range.from)} to ${JSON.stringify(range.to)}`;
    if (at !== undefined) refuseEarly(at, action);
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    try {
      yield* rangePages(this.#client, range, { at, limit: Math.max(limit, 0), signal, names: this.#names });
    } catch (error) {
      throw toStoreError(error, { action, signal });
    }
  }

  async commit(transaction: Transaction, options: { readonly signal?: AbortSignal } = {}): Promise<CommitResult> {
    const { signal } = options;
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    checkTransaction(transaction, this.#options.limits ?? {});
    const isWrite = transaction.operations.length > 0;
    for (let isAgain = false; ; isAgain = true) {
      const leases = await this.#takeLeases(transaction);
      try {
        return await this.#send(transaction, leases, signal);
      } catch (error) {
        if (isAgain || !isLeaseNotFound(error)) {
          throw toStoreError(error, { action: 'commit the transaction', isWrite, signal });
        }
        this.#leases.forgetAll(); // a lease was revoked, so nothing was written
      }
    }
  }

  async *watch(range: KeyRange, options: WatchOptions): AsyncGenerator<WatchBatch, void, undefined> {
    yield* this.openWatch(range, { ...options, hasPrevious: true });
  }

  /** A watch on which progress can be requested individually. Leaving its iteration ends it. */
  openWatch(range: KeyRange, options: Pick<EtcdWatchOptions, 'from' | 'signal' | 'hasPrevious'>): EtcdWatch {
    this.#refuseIfClosed();
    const watch = new EtcdWatch(range, {
      ...options,
      client: this.#client,
      names: this.#names,
      progress: this.#progress,
      limits: this.#options.watch ?? {},
      clock: this.clock,
      random: this.random,
      log: this.#log,
      onOpen: () => this.#watches.add(watch),
      onEnd: () => this.#watches.delete(watch),
    });
    return watch;
  }

  async requestProgress(): Promise<void> {
    const revision = await this.revision();
    for (const watch of this.#watches) watch.wantProgress(revision);
  }

  async compact(revision: Revision): Promise<void> {
    await this.#try(`compact up to revision ${revision}`, undefined, async () => {
      try {
        await this.#client.call(COMPACT, { revision }, { isRepeatable: true });
      } catch (error) {
        if (!isCompacted(error)) throw error; // another server compacted at least as far, which is the wanted effect
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all(Array.from(this.#watches, (watch) => watch.end()));
    await this.#client[Symbol.asyncDispose]();
  }

  async #takeLeases(transaction: Transaction): Promise<ReadonlyMap<number, number>> {
    const leases = new Map<number, number>();
    try {
      for (const [ttlSeconds, keys] of timesToLive(transaction)) {
        leases.set(ttlSeconds, await this.#leases.take(ttlSeconds, keys));
      }
      return leases;
    } catch (error) {
      throw toStoreError(error, { action: 'get a lease for the transaction, which was not sent' });
    }
  }

  async #send(
    transaction: Transaction,
    leases: ReadonlyMap<number, number>,
    signal: AbortSignal | undefined,
  ): Promise<CommitResult> {
    const isRepeatable = transaction.operations.length === 0;
    const request = toTxn(transaction, this.#names, leases);
    return toCommitResult(await this.#client.call(TXN, request, { signal, isRepeatable }), this.#names);
  }

  async #try<T>(action: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error, { action, signal });
    }
  }

  #refuseIfClosed(): void {
    if (this.#closing.signal.aborted) throw closed();
  }
}

/** etcd would take revision 0 for "now". */
function refuseEarly(at: Revision, action: string): void {
  if (at >= 1) return;
  throw new StoreError('Compacted', `Cannot ${action}: revision ${at} is before the first`);
}

function closed(): StoreError {
  return new StoreError('Unavailable', 'Cannot use the store: it is closed');
}
