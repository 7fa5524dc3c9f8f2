import { type Duration, millisecondsOf } from '../../base/index.ts';
import type { Revision } from '../store.ts';
import type { RevisionRecord } from './revision-record.ts';

export interface HistoryLimits {
  /** Younger revisions are kept, as far as the other limits allow; default 5 minutes. */
  readonly keepFor?: Duration;
  /** Reads and watches reach revisions younger than this, older ones only `PastRevisions`; default all that are kept. */
  readonly serveFor?: Duration;
  /** Max revisions; default 200,000. */
  readonly maxRevisions?: number;
  /** Max bytes, approximately; default 64 MiB. */
  readonly maxBytes?: number;
  /** Older revisions are dropped first when there are many; default 30 seconds. */
  readonly freshFor?: Duration;
  /** Max bytes, approximately, of revisions older than `freshFor`, so that a burst is dropped soon; default 16 MiB. */
  readonly maxAgedBytes?: number;
}

type Chunk = RevisionRecord[];

/** Records are dropped a chunk at a time, so this is also how many may outlive their limits. */
const CHUNK_LENGTH = 64;

const DEFAULT_KEEP_MS = 5 * 60 * 1000;
const DEFAULT_MAX_REVISIONS = 200_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const DEFAULT_FRESH_MS = 30 * 1000;
const DEFAULT_MAX_AGED_BYTES = 16 * 1024 * 1024;

/**
 * The newest revisions, each with its changes, without a gap from `first` to `last`.
 *
 * Since revisions are consecutive, a revision's place is computed, not searched: chunk number `revision / 64`.
 *
 * Example: first 70, last 200: chunk 1 (64..127, of which 64..69 are dead), chunk 2 (128..191) and chunk 3 (192..200).
 */
export class History {
  readonly #given: HistoryLimits;
  readonly #limits: Required<Omit<HistoryLimits, 'keepFor' | 'serveFor' | 'freshFor'>> & {
    readonly keepMs: number;
    readonly serveMs: number;
    readonly freshMs: number;
  };
  #chunks: Chunk[] = [];
  /** The number of `#chunks[0]`. */
  #firstChunk: number;
  #first: Revision;
  #firstServed: Revision;
  #last: Revision;
  #weight = 0;

  /** A history that begins after `last`. */
  constructor(last: Revision, limits: HistoryLimits = {}) {
    this.#given = limits;
    this.#limits = {
      keepMs: millisecondsOf(limits.keepFor ?? DEFAULT_KEEP_MS),
      serveMs: limits.serveFor === undefined ? Infinity : millisecondsOf(limits.serveFor),
      maxRevisions: limits.maxRevisions ?? DEFAULT_MAX_REVISIONS,
      maxBytes: limits.maxBytes ?? DEFAULT_MAX_BYTES,
      freshMs: millisecondsOf(limits.freshFor ?? DEFAULT_FRESH_MS),
      maxAgedBytes: limits.maxAgedBytes ?? DEFAULT_MAX_AGED_BYTES,
    };
    this.#last = last;
    this.#first = last + 1;
    this.#firstServed = last + 1;
    this.#firstChunk = chunkOf(last + 1);
  }

  /** The oldest revision kept; `last + 1` when there is none. */
  get first(): Revision {
    return this.#first;
  }

  /** The oldest revision that reads and watches may see; at least `first`. */
  get firstServed(): Revision {
    return this.#firstServed;
  }

  get last(): Revision {
    return this.#last;
  }

  append(record: RevisionRecord): void {
    if (record.revision !== this.#last + 1) {
      throw new Error(`Cannot add revision ${record.revision} to the history: ${this.#last + 1} comes next`);
    }
    const index = chunkOf(record.revision) - this.#firstChunk;
    const chunk = (this.#chunks[index] ??= []);
    chunk[record.revision % CHUNK_LENGTH] = record;
    this.#last = record.revision;
    this.#weight += record.weight;
  }

  /** Assumes `first <= revision <= last`. */
  at(revision: Revision): RevisionRecord {
    const record = this.#chunks[chunkOf(revision) - this.#firstChunk]?.[revision % CHUNK_LENGTH];
    if (record === undefined || revision < this.#first || revision > this.#last) {
      throw new RangeError(`Cannot look up revision ${revision}: the history has ${this.#first} to ${this.#last}`);
    }
    return record;
  }

  /**
   * Drops the revisions that exceed the limits at this time; with `isBurstKept: false` fresh ones too. The newest
   * revision always stays, and is served.
   */
  trim(nowMs: number, { isBurstKept = true }: { readonly isBurstKept?: boolean } = {}): void {
    const { keepMs, serveMs, maxRevisions, maxBytes, freshMs, maxAgedBytes } = this.#limits;
    let first = this.#first;
    let weight = this.#weight;
    while (first < this.#last) {
      const oldest = this.at(first);
      const ageMs = nowMs - oldest.timeMs;
      const most = ageMs > freshMs || !isBurstKept ? Math.min(maxAgedBytes, maxBytes) : maxBytes;
      const isOver = this.#last - first >= maxRevisions || weight > most || ageMs > keepMs;
      if (!isOver) break;
      weight -= oldest.weight;
      first += 1;
    }
    this.dropBefore(first);
    let served = this.#firstServed;
    while (served < this.#last && nowMs - this.at(served).timeMs > serveMs) served += 1;
    this.#firstServed = served;
  }

  /** Drops all revisions before `revision`, which is at most `last + 1`. */
  dropBefore(revision: Revision): void {
    if (revision <= this.#first) return;
    for (let dropped = this.#first; dropped < revision; dropped++) this.#weight -= this.at(dropped).weight;
    this.#first = revision;
    this.#firstServed = Math.max(revision, this.#firstServed);
    const chunk = chunkOf(revision);
    this.#chunks.splice(0, chunk - this.#firstChunk);
    this.#firstChunk = chunk;
  }

  /** An independent copy that shares every full chunk: one reference for 64 revisions, whose number is limited. */
  fork(): History {
    const copy = new History(this.#last, this.#given);
    copy.#chunks = this.#chunks.slice();
    const newest = copy.#chunks.pop();
    if (newest !== undefined) copy.#chunks.push(newest.slice());
    copy.#firstChunk = this.#firstChunk;
    copy.#first = this.#first;
    copy.#firstServed = this.#firstServed;
    copy.#weight = this.#weight;
    return copy;
  }
}

function chunkOf(revision: Revision): number {
  return Math.floor(revision / CHUNK_LENGTH);
}
