import type { Mvcc } from '../mvcc/mvcc.ts';
import { deletion, weightOf, write } from '../mvcc/revision-record.ts';
import type { Revision, StoreEvent } from '../store.ts';
import { FileDamage } from './file-damage.ts';
import type { Frame } from './frame.ts';
import { decodeRecords, type LoggedChange, type LogRecord } from './log-record.ts';

/** Where a frame was found. */
export interface FramePlace {
  readonly file: string;
  readonly offset: number;
}

/** Does to a store what a log says was done to it. What the store has already (from a checkpoint) is passed over. */
export class Replay {
  readonly #mvcc: Mvcc;
  /** The newest revision that was read. */
  #revision: Revision;

  /** Begins with the log's first revision after `after`. */
  constructor(mvcc: Mvcc, after: Revision) {
    this.#mvcc = mvcc;
    this.#revision = after;
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
    const events: StoreEvent[] = [];
    let deadlinesMs: number[] | undefined;
    for (const { key, value, deadlineMs } of changes) {
      const previous = this.#mvcc.get(key);
      if (deadlineMs !== 0) deadlinesMs ??= changes.map((change) => change.deadlineMs);
      if (value !== undefined) events.push(write({ key, value }, previous, revision));
      else if (previous !== undefined) events.push(deletion(previous, revision));
    }
    this.#mvcc.append({ revision, timeMs, events, deadlinesMs, weight: weightOf(events) });
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
