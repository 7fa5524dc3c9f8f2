import type { DurableFiles, ReadableFile } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import type { Frame } from './frame.ts';
import { decodeRecords } from './log-record.ts';
import { decodeSegmentHeader } from './segment-header.ts';
import { scanSegment, type SegmentTail } from './segment-scan.ts';
import type { FileReport, StoreProblem } from './store-report.ts';

export interface SegmentVerdict {
  readonly report: FileReport;
  readonly problems: readonly StoreProblem[];
  readonly notes: readonly StoreProblem[];
}

/** Checks a whole segment, also behind damage. Throws `FileDamage` when even its header cannot be read. */
export async function verifySegment(
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
  /** After damage the next revision is whatever comes. */
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
