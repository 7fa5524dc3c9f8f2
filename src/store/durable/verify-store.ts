import { StoreError } from '../errors.ts';
import type { Revision } from '../store.ts';
import { readCheckpoint } from './checkpoint-reader.ts';
import { type DurableFiles, FileDamage, type ReadableFile } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { listStoreFiles, MANIFEST_NAME, segmentName } from './file-names.ts';
import type { Frame } from './frame.ts';
import { decodeRecords } from './log-record.ts';
import { readMark, type StoreMark } from './manifest.ts';
import { fileSize, type OfflineOptions, recoverState, withFolder } from './offline.ts';
import { scanSegment, type SegmentTail } from './segment-scan.ts';
import { decodeSegmentHeader } from './segments.ts';

export interface StoreProblem {
  readonly file: string;
  readonly offset: number;
  readonly description: string;
}

export interface FileReport {
  readonly name: string;
  readonly kind: 'manifest' | 'checkpoint' | 'segment';
  readonly bytes: number;
  /** Contents in words: `1,204 entries at revision 99`, `12 frames, revisions 100 to 177`. */
  readonly contents: string;
}

/** The result of `verifyStore`. */
export interface StoreReport {
  readonly files: readonly FileReport[];
  /** Damage that prevents the store from opening. */
  readonly problems: readonly StoreProblem[];
  /** Remains of a crash, which the next start clears away. */
  readonly notes: readonly StoreProblem[];
  /** The store's state, if it can be opened. */
  readonly state: { readonly revision: Revision; readonly objects: number } | undefined;
}

/** Reads every byte of a store's files and checks it, changing nothing. Damage is reported, not thrown. */
export async function verifyStore(folder: string, options: OfflineOptions): Promise<StoreReport> {
  const verify = async (files: DurableFiles): Promise<StoreReport> => {
    const found: { files: FileReport[]; problems: StoreProblem[]; notes: StoreProblem[] } = {
      files: [],
      problems: [],
      notes: [],
    };
    const contents = await listStoreFiles(files);
    await collect(found, MANIFEST_NAME, async () => {
      const mark = await readMark(files);
      if (mark === undefined) return;
      const bytes = await fileSize(files, MANIFEST_NAME);
      found.files.push({ name: MANIFEST_NAME, kind: 'manifest', bytes, contents: describeMark(mark) });
    });
    for (const { name } of contents.checkpoints) {
      await collect(found, name, async () => {
        found.files.push(await verifyCheckpoint(files, name));
      });
    }
    for (const { name } of contents.segments) {
      const isLast = name === contents.segments.at(-1)?.name;
      await collect(found, name, async () => {
        const { report, problems, notes } = await verifySegment(files, name, { isLast });
        found.files.push(report);
        found.problems.push(...problems);
        found.notes.push(...notes);
      });
    }
    for (const name of contents.leftovers)
      found.notes.push({ file: name, offset: 0, description: 'was never completed' });
    let state: StoreReport['state'];
    if (found.problems.length === 0) {
      await collect(found, folder, async () => {
        const { mvcc } = await recoverState(files, options);
        state = { revision: mvcc.revision, objects: mvcc.size };
      });
    }
    // an apparently truncated frame is damage if the manifest covers more of the log
    const isProblem = (note: StoreProblem): boolean =>
      found.problems.some(({ file, offset }) => file === note.file && offset === note.offset);
    return { ...found, notes: found.notes.filter((note) => !isProblem(note)), state };
  };
  return withFolder(folder, verify, { isOnlyRead: true });
}

function describeMark({ sequence, offset, revision, isClosed }: StoreMark): string {
  const place = sequence === 0 ? 'without a log' : `to offset ${offset} of ${segmentName(sequence)}`;
  return `written ${place}, revision ${revision}, ${isClosed ? 'closed in good order' : 'not closed'}`;
}

async function verifyCheckpoint(files: DurableFiles, name: string): Promise<FileReport> {
  const { entryCount, revision } = await readCheckpoint(files, name, { entry: () => undefined });
  return {
    name,
    kind: 'checkpoint',
    bytes: await fileSize(files, name),
    contents: `${entryCount} entries at revision ${revision}`,
  };
}

/** Turns a file error thrown by `work` into a problem. */
async function collect(found: { problems: StoreProblem[] }, file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof FileDamage)
      found.problems.push({ file: error.file, offset: error.offset, description: error.problem });
    else if (error instanceof StoreError) found.problems.push({ file, offset: 0, description: error.message });
    else throw error;
  }
}

interface SegmentVerdict {
  readonly report: FileReport;
  readonly problems: readonly StoreProblem[];
  readonly notes: readonly StoreProblem[];
}

/** Checks a whole segment, also behind damage. Throws `FileDamage` when its header cannot be read. */
async function verifySegment(
  files: DurableFiles,
  name: string,
  options: { readonly isLast: boolean },
): Promise<SegmentVerdict> {
  const file = await files.openToRead(name);
  try {
    const { salt, after } = decodeSegmentHeader(await file.read(0, Math.min(HEADER_LENGTH, file.size)), name);
    const check = new SegmentCheck(name, after);
    const end = await check.readAll(file, salt);
    if (end.type === 'cut') check.reportCut(end, options.isLast);
    return {
      report: { name, kind: 'segment', bytes: file.size, contents: check.contents },
      problems: check.problems,
      notes: check.notes,
    };
  } finally {
    await file.close();
  }
}

class SegmentCheck {
  readonly problems: StoreProblem[] = [];
  readonly notes: StoreProblem[] = [];
  readonly #name: string;
  readonly #after: number;
  #revision: number;
  #frames = 0;
  /** False after damage: any revision may come next. */
  #isRevisionKnown = true;

  constructor(name: string, after: number) {
    this.#name = name;
    this.#after = after;
    this.#revision = after;
  }

  get contents(): string {
    const revisions =
      this.#revision === this.#after ? 'no revisions' : `revisions ${this.#after + 1} to ${this.#revision}`;
    return `${this.#frames} frames, ${revisions}`;
  }

  async readAll(file: ReadableFile, salt: number): Promise<SegmentTail> {
    let from = HEADER_LENGTH;
    for (;;) {
      const tail = await scanSegment(file, { salt, from, visit: (frame, offset) => this.#frame(frame, offset) });
      if (tail.type !== 'damaged') return tail;
      this.#report(tail.end, `${tail.next - tail.end} bytes are damaged; the next good frame is at ${tail.next}`);
      this.#isRevisionKnown = false;
      from = tail.next;
    }
  }

  reportCut(tail: SegmentTail, isLast: boolean): void {
    if (!isLast) this.#report(tail.end, 'the last frame is damaged');
    else
      this.notes.push({ file: this.#name, offset: tail.end, description: 'the last frame was cut off and is dropped' });
  }

  #frame(frame: Frame, offset: number): void {
    this.#frames += 1;
    if (this.#isRevisionKnown && frame.firstRevision !== this.#revision + 1) {
      this.#report(offset, `revision ${frame.firstRevision} follows on revision ${this.#revision}`);
    }
    this.#isRevisionKnown = true;
    this.#revision = frame.firstRevision - 1;
    try {
      for (const record of decodeRecords(frame.payload, frame.recordCount))
        if (record.type === 'transaction') this.#revision += 1;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#report(offset, `a frame that checks out cannot be read, because ${error.message}`);
    }
  }

  #report(offset: number, description: string): void {
    this.problems.push({ file: this.#name, offset, description });
  }
}
