import { SortedMap, type SortedMapEditor } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import { SlicedEntry } from '../mvcc/sliced-entry.ts';
import type { Entry, Revision } from '../store.ts';
import { readCheckpoint } from './checkpoint-reader.ts';
import { type DurableFiles, FileDamage } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { listStoreFiles } from './file-names.ts';
import type { Frame } from './frame.ts';
import { decodeRecords, type LoggedChange } from './log-record.ts';
import { readMark, type StoreMark } from './manifest.ts';
import { revisionsWord } from './recovery.ts';
import { decodeSegmentHeader } from './segments.ts';
import { scanSegment } from './segment-scan.ts';

/** The readable parts of a damaged store. */
export interface Salvaged {
  readonly entries: SortedMap<Entry>;
  readonly deadlines: ReadonlyMap<string, number>;
  /** The highest revision in any of the files. */
  readonly highest: Revision;
  /** Descriptions of what could not be read. */
  readonly losses: readonly string[];
}

/**
 * Reads every intact part of a store and skips the rest.
 *
 * It starts from the newest readable checkpoint and applies all later frames of the log, including those behind damage.
 * An object last written in a lost frame gets its previous state, and one deleted there reappears.
 */
export async function salvage(files: DurableFiles): Promise<Salvaged> {
  const { checkpoints, segments } = await listStoreFiles(files);
  const state = new SalvagedState();
  const mark = await state.attempt(() => readMark(files));
  for (const { name } of checkpoints.toReversed()) if (await state.readCheckpoint(files, name)) break;
  for (const { name } of segments) await state.attempt(() => state.readSegment(files, name));
  state.noteEnd(mark);
  return state;
}

class SalvagedState implements Salvaged {
  readonly losses: string[] = [];
  readonly deadlines = new Map<string, number>();
  readonly #entries: SortedMapEditor<Entry> = SortedMap.empty<Entry>().editable();
  #base: Revision = 0;
  #revision: Revision = 0;
  #highest: Revision = 0;

  get entries(): SortedMap<Entry> {
    return this.#entries.snapshot();
  }

  get highest(): Revision {
    return this.#highest;
  }

  /** Returns `undefined`, and records a loss, when the files are damaged. */
  async attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'Damaged') throw error;
      this.losses.push(error.message);
      return undefined;
    }
  }

  async readCheckpoint(files: DurableFiles, name: string): Promise<boolean> {
    const header = await this.attempt(() =>
      readCheckpoint(files, name, {
        entry: (entry, deadlineMs) => this.#put(entry, deadlineMs),
        damage: (damage) => this.losses.push(damage.message),
      }),
    );
    if (header === undefined) return false;
    this.#base = header.revision;
    this.#reach(header.revision);
    return true;
  }

  async readSegment(files: DurableFiles, name: string): Promise<void> {
    const file = await files.openToRead(name);
    try {
      const header = decodeSegmentHeader(await file.read(0, Math.min(HEADER_LENGTH, file.size)), name);
      this.#highest = Math.max(this.#highest, header.after);
      let from = HEADER_LENGTH;
      for (;;) {
        const tail = await scanSegment(file, { salt: header.salt, from, visit: (frame) => this.#frame(frame) });
        if (tail.type !== 'damaged') return;
        this.losses.push(new FileDamage(name, tail.end, `${tail.next - tail.end} bytes are damaged`).message);
        from = tail.next;
      }
    } finally {
      await file.close();
    }
  }

  noteEnd(mark: StoreMark | undefined): void {
    if (mark !== undefined && mark.revision > this.#revision) this.#noteGap(mark.revision);
    this.#highest = Math.max(this.#highest, this.#revision);
  }

  #frame(frame: Frame): void {
    if (frame.firstRevision > this.#revision + 1) this.#noteGap(frame.firstRevision - 1);
    let revision = frame.firstRevision - 1;
    for (const record of decodeRecords(frame.payload, frame.recordCount)) {
      if (record.type !== 'transaction') continue;
      revision += 1;
      if (revision <= this.#base) continue;
      for (const change of record.changes) this.#apply(change, revision);
    }
    this.#reach(revision);
  }

  #apply({ key, value, deadlineMs }: LoggedChange, revision: Revision): void {
    if (value === undefined) {
      this.#entries.delete(key);
      this.deadlines.delete(key);
      return;
    }
    const createRevision = this.#entries.get(key)?.createRevision ?? revision;
    this.#put(new SlicedEntry(key, value, { createRevision, modRevision: revision }), deadlineMs);
  }

  #put(entry: Entry, deadlineMs: number): void {
    this.#entries.set(entry.key, entry);
    if (deadlineMs === 0) this.deadlines.delete(entry.key);
    else this.deadlines.set(entry.key, deadlineMs);
  }

  #noteGap(to: Revision): void {
    this.losses.push(`${revisionsWord(this.#revision + 1, to)} missing`);
    this.#reach(to);
  }

  #reach(revision: Revision): void {
    this.#revision = Math.max(this.#revision, revision);
  }
}
