import { compareUtf8, type Runnable, runTogether, waitFor } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import { contains, prefixRange } from '../key-range.ts';
import type { Mvcc } from '../mvcc/mvcc.ts';
import type {
  CommitResult,
  Entry,
  HealthReporting,
  InProcessStore,
  KeyRange,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Revision,
} from '../store.ts';
import type { Transaction, WatchBatch, WatchOptions } from '../store.ts';
import { MirrorFeed, type MirrorFeedOptions } from './mirror-feed.ts';
import type { MirroredStore } from './mirrored-store.ts';
import { OwnValues } from './own-values.ts';
import { ReadBarrier } from './read-barrier.ts';
import { watchMirror } from './watch-mirror.ts';

export interface MirrorStoreOptions extends Omit<MirrorFeedOptions, 'range' | 'ownValues'> {
  /** Prefix of the mirrored keys; default '/registry/'. All other keys are read from the store itself each time. */
  readonly root?: string;
  /** Tasks that run while the store is open. */
  readonly background?: readonly Runnable[];
}

const DEFAULT_ROOT = '/registry/';

/**
 * A store of another process with a copy of it in this one, which answers reads and watches.
 *
 * Guarantees: as every `Store`. A read asks for the store's revision, sharing the question with all concurrent reads,
 * and waits until the copy has reached it, or fails with `Unavailable` after a time limit. Each revision of a key is
 * the same `Entry` object for every reader. The copy is made when it is first needed.
 */
export class MirrorStore implements InProcessStore, HealthReporting {
  readonly #origin: MirroredStore;
  readonly #range: KeyRange;
  readonly #ownValues = new OwnValues();
  readonly #feed: MirrorFeed;
  readonly #revisions: ReadBarrier<Revision>;
  readonly #closing = new AbortController();
  readonly #background: Promise<void>;
  #feeding: Promise<void> | undefined;
  #health: Promise<void> | undefined;
  /** Number of progress requests so far. */
  #progressMarks = 0;
  /** Number of watches of keys that are not mirrored. */
  #directWatches = 0;

  constructor(origin: MirroredStore, options: MirrorStoreOptions = {}) {
    this.#origin = origin;
    this.#range = prefixRange(options.root ?? DEFAULT_ROOT);
    this.#feed = new MirrorFeed(origin, { ...options, range: this.#range, ownValues: this.#ownValues });
    this.#revisions = new ReadBarrier(() => origin.revision());
    this.#background = runTogether(options.background ?? [], this.#closing.signal);
  }

  /** Whether a synchronous read is as new as an asynchronous one. */
  get isNewest(): boolean {
    const newest = this.#origin.newestNow?.();
    return newest !== undefined && this.#newEnough(newest) !== undefined;
  }

  /** How far the copy is; unlike a read, this may be behind what other servers have written. */
  revisionNow(): Revision {
    return this.#copyNow().revision;
  }

  /** Reads the copy as it is; see `revisionNow`. */
  readNow(key: string): Entry | undefined {
    this.#refuseUnmirrored({ from: key, to: `${key}\0` });
    return this.#copyNow().get(key);
  }

  /** Reads the copy as it is; see `revisionNow`. */
  rangeNow(range: KeyRange, options?: RangeOptions): RangeResult {
    this.#refuseUnmirrored(range);
    return this.#copyNow().range(range, options);
  }

  async revision({ notOlderThan }: Pick<ReadOptions, 'notOlderThan'> = {}): Promise<Revision> {
    return this.#newEnough(notOlderThan)?.revision ?? this.#origin.newestNow?.() ?? this.#revisions.pass();
  }

  /** Asks the store, once for all concurrent callers. */
  async checkHealth(): Promise<void> {
    this.#health ??= this.#origin.checkHealth().finally(() => (this.#health = undefined));
    await this.#health;
  }

  async get(key: string, options: ReadOptions = {}): Promise<Entry | undefined> {
    const { at } = options;
    const mvcc = contains(this.#range, key) ? await this.#copyFor(options) : undefined;
    if (mvcc === undefined) return this.#origin.get(key, options);
    return at === undefined ? mvcc.get(key) : mvcc.getAt(key, at);
  }

  async range(range: KeyRange, options: RangeOptions = {}): Promise<RangeResult> {
    const mvcc = this.#isMirrored(range) ? await this.#copyFor(options) : undefined;
    return mvcc === undefined ? this.#origin.range(range, options) : mvcc.range(range, options);
  }

  async commit(transaction: Transaction, options: { readonly signal?: AbortSignal } = {}): Promise<CommitResult> {
    this.#start();
    using _own = this.#ownValues.add(transaction);
    const result = await this.#origin.commit(transaction, options);
    const newest = result.ok ? this.#revisionOfOwn(transaction, result.revision) : newestOf(result.current);
    const mvcc = await this.#feed.reached(newest).catch(() => undefined); // the write has succeeded even if the copy is late
    if (result.ok || mvcc === undefined) return result;
    const { ok, revision, current } = result;
    return { ok, revision, current: current.map((entry) => shared(entry, mvcc)) };
  }

  async *watch(range: KeyRange, options: WatchOptions): AsyncGenerator<WatchBatch, void, undefined> {
    if (this.#isClosing) throw closed();
    if (this.#isMirrored(range)) {
      yield* watchMirror(range, options, {
        origin: this.#origin,
        copy: (signal) => this.#load(signal),
        progressMarks: () => this.#progressMarks,
        isClosing: () => this.#isClosing,
      });
      return;
    }
    this.#directWatches += 1;
    try {
      yield* this.#origin.watch(range, options);
    } finally {
      this.#directWatches -= 1;
    }
  }

  async requestProgress(): Promise<void> {
    const mvcc = await this.#pass();
    this.#progressMarks += 1;
    mvcc.requestProgress();
    if (this.#directWatches > 0) await this.#origin.requestProgress();
  }

  async compact(revision: Revision): Promise<void> {
    await this.#origin.compact(revision);
    this.#start();
    (await this.#feed.reached(revision)).compact(revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#feeding;
    await this.#background;
    await this.#origin[Symbol.asyncDispose]();
  }

  /** The copy, in a state fit for this read; `undefined` when only the store itself can answer it. */
  async #copyFor(options: ReadOptions): Promise<Mvcc | undefined> {
    const { at, notOlderThan, signal } = options;
    signal?.throwIfAborted();
    if (at === undefined) return this.#newEnough(notOlderThan) ?? this.#pass(signal);
    this.#start();
    const known = this.#feed.mvcc;
    const mvcc = known !== undefined && at <= known.revision ? known : await this.#pass(signal);
    return at < mvcc.floor ? undefined : mvcc;
  }

  /** The copy as it is, if `notOlderThan` allows that. */
  #newEnough(revision: Revision | undefined): Mvcc | undefined {
    if (revision === undefined || this.#isClosing) return undefined;
    const { mvcc } = this.#feed;
    return mvcc !== undefined && mvcc.revision >= revision ? mvcc : undefined;
  }

  /** The copy with everything that was written before this call. */
  async #pass(signal?: AbortSignal): Promise<Mvcc> {
    this.#start();
    const newest = this.#origin.newestNow?.();
    const known = newest === undefined ? undefined : this.#newEnough(newest);
    if (known !== undefined) return known;
    const asked = newest === undefined ? this.#revisions.pass() : Promise.resolve(newest);
    const passed = asked.then((revision) => this.#feed.reached(revision));
    return signal === undefined ? passed : waitFor(passed, { signal, clock: this.#origin.clock, onTimeout: closed });
  }

  /** The copy, as soon as there is one; `undefined` when the signal aborted before. */
  async #load(signal: AbortSignal): Promise<Mvcc | undefined> {
    if (signal.aborted || this.#isClosing) return undefined;
    this.#start();
    if (this.#feed.mvcc !== undefined) return this.#feed.mvcc;
    try {
      return await waitFor(this.#feed.reached(), { signal, clock: this.#origin.clock, onTimeout: closed });
    } catch (error) {
      if (signal.aborted || this.#isClosing) return undefined;
      throw error;
    }
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #start(): void {
    if (this.#isClosing) throw closed();
    this.#feeding ??= this.#feed.run(this.#closing.signal);
  }

  /** The revision at which the copy has a transaction's writes; 0 when none of its keys are mirrored. */
  #revisionOfOwn(transaction: Transaction, revision: Revision): Revision {
    return transaction.operations.some(({ key }) => contains(this.#range, key)) ? revision : 0;
  }

  #copyNow(): Mvcc {
    this.#start();
    const { mvcc } = this.#feed;
    if (mvcc === undefined)
      throw new StoreError('Unavailable', 'Cannot read the mirror of the store: it is not loaded yet');
    return mvcc;
  }

  #isMirrored(range: KeyRange): boolean {
    return compareUtf8(range.from, this.#range.from) >= 0 && compareUtf8(range.to, this.#range.to) <= 0;
  }

  #refuseUnmirrored(range: KeyRange): void {
    if (this.#isMirrored(range)) return;
    const from = JSON.stringify(range.from);
    throw new TypeError(`Cannot read ${from} at once: only ${JSON.stringify(this.#range.from)} is mirrored`);
  }
}

/** Replaces an entry by the mirror's equal one, so that every reader has the same object. */
function shared(entry: Entry | undefined, mvcc: Mvcc): Entry | undefined {
  const own = entry === undefined ? undefined : mvcc.get(entry.key);
  return own?.modRevision === entry?.modRevision ? own : entry;
}

function newestOf(entries: readonly (Entry | undefined)[]): Revision {
  return entries.reduce((newest, entry) => Math.max(newest, entry?.modRevision ?? 0), 0);
}

function closed(): StoreError {
  return new StoreError('Unavailable', 'Cannot use the store: it is closed');
}
