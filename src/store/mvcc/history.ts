import type { Revision } from '../store.ts';
import type { RevisionRecord } from './revision-record.ts';

export interface HistoryLimits {
  /** What is younger than this is kept, as far as the other limits allow; 5 minutes unless given. */
  readonly keepMs?: number;
  /** Never more revisions than this; 200,000 unless given. */
  readonly maxRevisions?: number;
  /** Never more bytes than about this; 64 MiB unless given. */
  readonly maxBytes?: number;
  /** What is older than this goes first when there is much of it; 30 seconds unless given. */
  readonly freshMs?: number;
  /** No more bytes than about this once what is fresh has aged, so that a burst is forgotten soon; 16 MiB unless given. */
  readonly maxAgedBytes?: number;
}

type Chunk = RevisionRecord[];

/** Records are let go a chunk at a time, so a chunk is also how many may outlive their time. */
const CHUNK_LENGTH = 64;

const DEFAULT_KEEP_MS = 5 * 60 * 1000;
const DEFAULT_MAX_REVISIONS = 200_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const DEFAULT_FRESH_MS = 30 * 1000;
const DEFAULT_MAX_AGED_BYTES = 16 * 1024 * 1024;

/**
 * The newest revisions, each with what it changed, without a gap from `first` to `last`.
 *
 * Since revisions are consecutive, a revision's place is computed, not searched: chunk number `revision / 64`.
 *
 * Example: first 70, last 200: chunk 1 (64..127, of which 64..69 are dead), chunk 2 (128..191) and chunk 3 (192..200).
 */
export class History {
  readonly #limits: Required<HistoryLimits>;
  #chunks: Chunk[] = [];
  /** The number of `#chunks[0]`. */
  #firstChunk: number;
  #first: Revision;
  #last: Revision;
  #weight = 0;

  /** A history that begins after `last`. */
  constructor(last: Revision, limits: HistoryLimits = {}) {
    this.#limits = {
      keepMs: limits.keepMs ?? DEFAULT_KEEP_MS,
      maxRevisions: limits.maxRevisions ?? DEFAULT_MAX_REVISIONS,
      maxBytes: limits.maxBytes ?? DEFAULT_MAX_BYTES,
      freshMs: limits.freshMs ?? DEFAULT_FRESH_MS,
      maxAgedBytes: limits.maxAgedBytes ?? DEFAULT_MAX_AGED_BYTES,
    };
    this.#last = last;
    this.#first = last + 1;
    this.#firstChunk = chunkOf(last + 1);
  }

  /** The oldest revision that is kept; `last + 1` when none is. */
  get first(): Revision {
    return this.#first;
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

  /** Forgets what the limits no longer keep at this time, fresh or not if so wished. The newest revision always stays. */
  trim(nowMs: number, { isBurstKept = true }: { readonly isBurstKept?: boolean } = {}): void {
    const { keepMs, maxRevisions, maxBytes, freshMs, maxAgedBytes } = this.#limits;
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
  }

  /** Forgets all revisions before `revision`, which is at most `last + 1`. */
  dropBefore(revision: Revision): void {
    if (revision <= this.#first) return;
    for (let dropped = this.#first; dropped < revision; dropped++) this.#weight -= this.at(dropped).weight;
    this.#first = revision;
    const chunk = chunkOf(revision);
    this.#chunks.splice(0, chunk - this.#firstChunk);
    this.#firstChunk = chunk;
  }

  /** An independent copy that shares every full chunk: one reference for 64 revisions, and there is a limit on revisions. */
  fork(): History {
    const copy = new History(this.#last, this.#limits);
    copy.#chunks = this.#chunks.slice();
    const newest = copy.#chunks.pop();
    if (newest !== undefined) copy.#chunks.push(newest.slice());
    copy.#firstChunk = this.#firstChunk;
    copy.#first = this.#first;
    copy.#weight = this.#weight;
    return copy;
  }
}

function chunkOf(revision: Revision): number {
  return Math.floor(revision / CHUNK_LENGTH);
}
