import { SortedMap, type SortedMapEditor } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type {
  Entry,
  KeyRange,
  PastRevisions,
  RangeOptions,
  RangeResult,
  Revision,
  StoreEvent,
  WatchOptions,
} from '../store.ts';
import { Deadlines } from './deadlines.ts';
import { History, type HistoryLimits } from './history.ts';
import { PastRoots, redo } from './past-roots.ts';
import { deletion, keyOf, type RevisionRecord, weightOf, withEvent } from './revision-record.ts';
import { type Slice, SlicedEntry } from './sliced-entry.ts';
import { Watch } from './watch.ts';
import { WatchHub, type WatchLimits } from './watch-hub.ts';

export interface MvccOptions {
  readonly history?: HistoryLimits;
  readonly watch?: WatchLimits;
}

/** The store at one revision, without its history. */
export interface MvccState {
  readonly revision: Revision;
  /** The oldest readable revision; default `revision`. */
  readonly floor?: Revision;
  readonly entries: SortedMap<Entry>;
  readonly deadlines: Deadlines;
}

/** The changes that a log records for one revision. */
export interface LoggedRevision {
  readonly revision: Revision;
  readonly timeMs: number;
  /** Without a value the key is deleted; a deadline of 0 means none. */
  readonly changes: readonly { readonly key: string; readonly value: Slice | undefined; readonly deadlineMs: number }[];
}

/**
 * Keys and values at every revision of a window: what the in-process stores have in common.
 *
 * It knows nothing of transactions or disks: its owner appends finished records, one per revision, which makes them
 * visible to readers and watchers.
 */
export class Mvcc {
  readonly #options: MvccOptions;
  readonly #current: SortedMapEditor<Entry>;
  readonly #history: History;
  readonly #roots: PastRoots;
  readonly #hub: WatchHub;
  readonly deadlines: Deadlines;
  /** The oldest readable revision. */
  #floor: Revision;
  #isClosed = false;

  private constructor(state: MvccState, history: History, options: MvccOptions & { readonly roots?: PastRoots }) {
    this.#options = { history: options.history, watch: options.watch };
    this.#current = state.entries.editable();
    this.deadlines = state.deadlines;
    this.#history = history;
    this.#roots = options.roots ?? new PastRoots();
    this.#hub = new WatchHub(options.watch);
    this.#floor = state.floor ?? state.revision;
  }

  static empty(options: MvccOptions = {}): Mvcc {
    return Mvcc.from({ revision: 0, entries: SortedMap.empty<Entry>(), deadlines: new Deadlines() }, options);
  }

  /** A store without history before `state`. */
  static from(state: MvccState, options: MvccOptions = {}): Mvcc {
    return new Mvcc(state, new History(state.revision, options.history), options);
  }

  get revision(): Revision {
    return this.#history.last;
  }

  /** The oldest readable revision. */
  get floor(): Revision {
    return this.#floor;
  }

  /** The oldest revision that a watch can start from. */
  get firstWatchable(): Revision {
    return this.#history.firstServed;
  }

  /** The kept history, which may reach further back than what reads and watches see. */
  get past(): PastRevisions {
    const history = this.#history;
    return {
      get first() {
        return history.first;
      },
      get last() {
        return history.last;
      },
      at: (revision) => history.at(revision),
      range: (range, revision) => [...this.entriesAt(revision).values(range)],
    };
  }

  get size(): number {
    return this.#current.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get(key: string): Entry | undefined {
    return this.#current.get(key);
  }

  getAt(key: string, revision: Revision): Entry | undefined {
    return this.#servedAt(revision).get(key);
  }

  range(range: KeyRange, options: RangeOptions = {}): RangeResult {
    const source = options.at === undefined ? this.#current : this.#servedAt(options.at);
    const limit = options.limit === undefined || options.limit <= 0 ? Infinity : options.limit;
    const entries: Entry[] = [];
    const take = (_key: string, entry: Entry): boolean => entries.push(entry) < limit;
    if (source instanceof SortedMap) source.visit(range, take);
    else source.look(range, take);
    const count = entries.length < limit ? entries.length : source.count(range);
    return { entries, more: count > entries.length, count, revision: this.revision };
  }

  #servedAt(revision: Revision): SortedMap<Entry> {
    const oldest = this.#history.firstServed - 1;
    if (revision < oldest) throw compacted(revision, Math.max(oldest, this.#floor));
    return this.entriesAt(revision);
  }

  /** Everything as it was at `revision`, as far back as history is kept. */
  entriesAt(revision: Revision): SortedMap<Entry> {
    const now = { revision: this.revision, entries: this.#current.snapshot() };
    if (revision === now.revision) return now.entries;
    if (revision > now.revision) throw futureRevision(`read at revision ${revision}`, now.revision);
    if (revision < this.#floor) throw compacted(revision, this.#floor);
    return this.#roots.at(revision, now, this.#history);
  }

  /**
   * Everything as it was just before the first revision of the history. Together with the history this is the whole
   * state.
   */
  base(): { readonly revision: Revision; readonly entries: SortedMap<Entry> } {
    const now = { revision: this.revision, entries: this.#current.snapshot() };
    const revision = this.#history.first - 1;
    return revision === now.revision ? now : { revision, entries: this.#roots.at(revision, now, this.#history) };
  }

  /** Makes one more revision visible. */
  append(record: RevisionRecord): void {
    redo(this.#current, record);
    this.#note(record);
    this.trim(record.timeMs);
  }

  /**
   * The same for a revision from a log. Drops history that exceeds the limits, including fresh revisions of a burst.
   */
  appendLogged({ revision, timeMs, changes }: LoggedRevision, nowMs: number): void {
    let events: StoreEvent[] | undefined;
    let deadlinesMs: number[] | undefined;
    for (const { key, value, deadlineMs } of changes) {
      if (deadlineMs !== 0) deadlinesMs ??= changes.map((change) => change.deadlineMs);
      const event = value === undefined ? this.#deleted(key, revision) : this.#put(key, value, revision);
      if (event !== undefined) events = withEvent(events, event);
    }
    events ??= [];
    this.#note({ revision, timeMs, events, deadlinesMs, weight: weightOf(events) });
    this.trim(nowMs, { isBurstKept: false });
  }

  /**
   * Most keys of a log are new: lookup and insertion are one operation, which dominates the time of opening a store.
   */
  #put(key: string, value: Slice, revision: Revision): StoreEvent {
    let entry = new SlicedEntry(key, value, { createRevision: revision, modRevision: revision });
    const previous = this.#current.set(key, entry);
    if (previous !== undefined) {
      entry = new SlicedEntry(key, value, { createRevision: previous.createRevision, modRevision: revision });
      this.#current.set(key, entry);
    }
    return { type: 'put', entry, previous };
  }

  #deleted(key: string, revision: Revision): StoreEvent | undefined {
    const previous = this.#current.delete(key);
    return previous === undefined ? undefined : deletion(previous, revision);
  }

  #note(record: RevisionRecord): void {
    record.events.forEach((event, index) => this.deadlines.set(keyOf(event), record.deadlinesMs?.[index] ?? 0));
    this.#history.append(record);
    this.#roots.note(record.revision, this.#current);
    this.#hub.publish(record);
  }

  watch(range: KeyRange, options: WatchOptions): Watch {
    return new Watch(range, options, { history: this.#history, hub: this.#hub, isClosed: () => this.#isClosed });
  }

  requestProgress(): void {
    this.#hub.publishProgress(this.revision);
  }

  compact(revision: Revision): void {
    if (revision > this.revision) throw futureRevision(`compact up to revision ${revision}`, this.revision);
    if (revision <= this.#floor) return;
    this.#history.dropBefore(revision);
    this.#raiseFloor(revision);
  }

  /** Drops history that exceeds the limits at this time. */
  trim(nowMs: number, options?: { readonly isBurstKept?: boolean }): void {
    this.#history.trim(nowMs, options);
    this.#raiseFloor(this.#history.first - 1);
  }

  /** An independent copy, without the watches; constant time. */
  fork(): Mvcc {
    const state = { revision: this.revision, entries: this.#current.snapshot(), deadlines: this.deadlines.fork() };
    const copy = new Mvcc(state, this.#history.fork(), { ...this.#options, roots: this.#roots.fork() });
    copy.#floor = this.#floor;
    return copy;
  }

  /** Ends every watch. Reads still work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#hub.close();
  }

  #raiseFloor(revision: Revision): void {
    if (revision <= this.#floor) return;
    this.#floor = revision;
    this.#roots.dropBefore(revision);
  }
}

function compacted(revision: Revision, oldest: Revision): StoreError {
  const what = `Cannot read at revision ${revision}: what was before revision ${oldest} has been compacted`;
  return new StoreError('Compacted', what);
}

function futureRevision(action: string, revision: Revision): StoreError {
  return new StoreError('FutureRevision', `Cannot ${action}: the newest revision is ${revision}`);
}
