import { type Clock, type Logger, SortedMap } from '../../base/index.ts';
import { Deadlines } from '../mvcc/deadlines.ts';
import { Mvcc, type MvccOptions } from '../mvcc/mvcc.ts';
import type { Entry, Revision } from '../store.ts';
import { readCheckpoint } from './checkpoint-reader.ts';
import { type DurableFiles, FileDamage } from './durable-files.ts';
import { MANIFEST_SINCE_VERSION } from './file-header.ts';
import { checkpointName, listStoreFiles, MANIFEST_NAME, segmentName } from './file-names.ts';
import type { Frame } from './frame.ts';
import { decodeRecords, type LoggedChange, type LogRecord } from './log-record.ts';
import { readMark, type StoreMark } from './manifest.ts';
import { scanSegment } from './segment-scan.ts';
import { readSegmentHeaders, type Segment, Segments } from './segments.ts';

export interface RecoveryOptions extends MvccOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/** The store that a folder's files describe. */
export interface Recovered {
  readonly mvcc: Mvcc;
  /** The log continues at the end of the last one; if there is none, a first one has to be started. */
  readonly segments: Segments;
  readonly checkpointBytes: number;
  /** Whether there were no files at all. */
  readonly isNew: boolean;
  /** How far the store reaches; goes into its manifest. */
  readonly mark: StoreMark;
  /** Files that are no longer needed. */
  readonly obsolete: readonly string[];
}

/**
 * Reads a store from its files and changes none of them.
 *
 * Guarantees: everything that the manifest says was acknowledged is there, or this throws `Damaged` with file and
 * offset. A truncated frame beyond that was never acknowledged: it is dropped, and a warning is logged.
 */
export async function recover(files: DurableFiles, options: RecoveryOptions): Promise<Recovered> {
  const contents = await listStoreFiles(files);
  const headers = await readSegmentHeaders(files, contents.segments);
  const mark = await readMark(files);
  const checkpoint = contents.checkpoints.at(-1);
  if (mark !== undefined) expectFiles(mark, headers, checkpoint?.revision ?? 0);
  const { mvcc, checkpointBytes, version } = await readState(files, checkpoint?.name, options);
  if (mark === undefined && Math.max(version, ...headers.map((header) => header.version)) >= MANIFEST_SINCE_VERSION)
    throw new FileDamage(MANIFEST_NAME, 0, 'it is missing');
  const covered = new Segments(headers).coveredBy(mvcc.revision);
  const needed = headers.filter((segment) => !covered.includes(segment));
  const nowMs = options.clock.now();
  const segments = await replayLog(files, needed, { mvcc, mark, log: options.log, nowMs });
  if (mark !== undefined && mvcc.revision < mark.revision)
    throw new FileDamage(MANIFEST_NAME, 0, `${revisionsWord(mvcc.revision + 1, mark.revision)} missing`);
  mvcc.trim(nowMs);
  const oldCheckpoints = contents.checkpoints.slice(0, -1);
  const obsolete = [...contents.leftovers, ...[...oldCheckpoints, ...covered].map(({ name }) => name)];
  const reached = markOf(segments.at(-1), { revision: mvcc.revision, checkpoint: checkpoint?.revision ?? 0 });
  const isNew = mark === undefined && checkpoint === undefined && headers.length === 0;
  return { mvcc, segments: new Segments(segments), checkpointBytes, isNew, mark: reached, obsolete };
}

/** The mark of a store whose newest segment is `newest`. */
function markOf(newest: Segment | undefined, state: Pick<StoreMark, 'revision' | 'checkpoint'>): StoreMark {
  const { sequence = 0, salt = 0, bytes: offset = 0 } = newest ?? {};
  return { ...state, sequence, salt, offset, isClosed: false };
}

/** Throws when a file that the manifest lists is missing, or is a different one. */
function expectFiles(mark: StoreMark, headers: readonly Segment[], checkpoint: number): void {
  if (checkpoint < mark.checkpoint) throw new FileDamage(checkpointName(mark.checkpoint), 0, 'it is missing');
  if (mark.sequence === 0) return;
  const name = segmentName(mark.sequence);
  const newest = headers.find(({ sequence }) => sequence === mark.sequence);
  if (newest === undefined)
    throw new FileDamage(name, 0, `it is missing; the log was acknowledged up to revision ${mark.revision}`);
  if (newest.salt !== mark.salt) throw new FileDamage(name, 0, 'it is not the file that the store wrote');
}

async function readState(
  files: DurableFiles,
  checkpoint: string | undefined,
  options: MvccOptions,
): Promise<{ mvcc: Mvcc; checkpointBytes: number; version: number }> {
  if (checkpoint === undefined) return { mvcc: Mvcc.empty(options), checkpointBytes: 0, version: 0 };
  const keys: string[] = [];
  const entries: Entry[] = [];
  const deadlines = new Deadlines();
  const { revision, floor, tableOffset, version } = await readCheckpoint(files, checkpoint, {
    entry: (entry, deadlineMs) => {
      keys.push(entry.key);
      entries.push(entry);
      if (deadlineMs !== 0) deadlines.set(entry.key, deadlineMs);
    },
  });
  const state = { revision, floor, entries: SortedMap.fromSorted(keys, entries), deadlines };
  return { mvcc: Mvcc.from(state, options), checkpointBytes: tableOffset, version };
}

interface ReplayTarget {
  readonly mvcc: Mvcc;
  readonly mark: StoreMark | undefined;
  readonly log: Logger;
  readonly nowMs: number;
}

async function replayLog(files: DurableFiles, needed: readonly Segment[], target: ReplayTarget): Promise<Segment[]> {
  const first = needed[0];
  if (first === undefined) return [];
  const { mvcc } = target;
  if (first.after > mvcc.revision) {
    throw new FileDamage(first.name, 0, `${revisionsWord(mvcc.revision + 1, first.after)} missing`);
  }
  const replay = new Replay(mvcc, { after: first.after, nowMs: target.nowMs });
  const segments: Segment[] = [];
  for (const segment of needed) {
    expectNext(segment, segments.at(-1), replay);
    const bytes = await replaySegment(files, { segment, isLast: segment === needed.at(-1) }, { ...target, replay });
    segments.push({ ...segment, bytes });
  }
  return segments;
}

function expectNext(segment: Segment, before: Segment | undefined, replay: Replay): void {
  const { name, sequence, after } = segment;
  if (before !== undefined && sequence !== before.sequence + 1)
    throw new FileDamage(name, 0, `segment ${before.sequence + 1} is missing`);
  const { previous } = segment;
  if (before !== undefined && previous.bytes > 0 && (previous.bytes !== before.bytes || previous.salt !== before.salt))
    throw new FileDamage(before.name, before.bytes, `its last frame should end at ${previous.bytes}`);
  if (after !== replay.revision)
    throw new FileDamage(name, 0, `it follows on revision ${after}, not on ${replay.revision}`);
}

/** Returns where the segment's last good frame ends. */
async function replaySegment(
  files: DurableFiles,
  { segment, isLast }: { readonly segment: Segment; readonly isLast: boolean },
  { replay, mark, log }: { readonly replay: Replay; readonly mark: StoreMark | undefined; readonly log: Logger },
): Promise<number> {
  const { name, salt } = segment;
  const file = await files.openToRead(name);
  try {
    const tail = await scanSegment(file, {
      salt,
      visit: (frame, offset) => replay.frame(frame, { file: name, offset }),
    });
    if (tail.type === 'damaged')
      throw new FileDamage(name, tail.end, `a frame is damaged (the next good one is at ${tail.next})`);
    if (segment.sequence === mark?.sequence && tail.end < mark.offset)
      throw new FileDamage(name, tail.end, lossOf(mark, replay.revision));
    if (tail.type === 'cut' && !isLast) throw new FileDamage(name, tail.end, 'the last frame is damaged');
    if (tail.type === 'cut')
      log.warn('store log was cut off, dropping the last frame', { file: name, offset: tail.end });
    return tail.end;
  } finally {
    await file.close();
  }
}

/** Describes what is missing from a log that was acknowledged up to `mark` and can be read up to `revision`. */
function lossOf(mark: StoreMark, revision: number): string {
  const lost = mark.revision > revision ? `${revisionsWord(revision + 1, mark.revision)} lost` : 'no revision is lost';
  return `the log was acknowledged up to offset ${mark.offset} and ends here; ${lost}`;
}

/** `revision 7 is` or `revisions 7 to 9 are`. */
export function revisionsWord(from: number, to: number): string {
  return from === to ? `revision ${from} is` : `revisions ${from} to ${to} are`;
}

/** Where a frame was found. */
interface FramePlace {
  readonly file: string;
  readonly offset: number;
}

/** Applies a log to a store. Records that the store already has (from a checkpoint) are skipped. */
class Replay {
  readonly #mvcc: Mvcc;
  readonly #nowMs: number;
  /** The newest revision read. */
  #revision: Revision;

  /** Begins with the log's first revision after `after`. */
  constructor(mvcc: Mvcc, { after, nowMs }: { readonly after: Revision; readonly nowMs: number }) {
    this.#mvcc = mvcc;
    this.#revision = after;
    this.#nowMs = nowMs;
  }

  get revision(): Revision {
    return this.#revision;
  }

  frame(frame: Frame, place: FramePlace): void {
    if (frame.firstRevision !== this.#revision + 1) {
      throw new FileDamage(
        place.file,
        place.offset,
        `revision ${frame.firstRevision} follows on revision ${this.#revision}`,
      );
    }
    for (const record of recordsOf(frame, place)) {
      if (record.type === 'transaction') this.#transaction(record.changes, frame.timeMs);
      else if (record.type === 'compaction' && record.revision <= this.#mvcc.revision)
        this.#mvcc.compact(record.revision);
    }
  }

  #transaction(changes: readonly LoggedChange[], timeMs: number): void {
    this.#revision += 1;
    const revision = this.#revision;
    if (revision <= this.#mvcc.revision) return;
    this.#mvcc.appendLogged({ revision, timeMs, changes }, this.#nowMs);
  }
}

function recordsOf(frame: Frame, place: FramePlace): LogRecord[] {
  try {
    return decodeRecords(frame.payload, frame.recordCount);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FileDamage(place.file, place.offset, `a frame that checks out cannot be read, because ${error.message}`);
  }
}
