import type { ReadableFile } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { findFrame, type Frame, frameAt, frameLength, isBlank } from './frame.ts';

/** How a segment ends after its last good frame. Offsets are in the file. */
export type SegmentTail =
  /** With nothing, or with room that was never written to. */
  | { readonly type: 'clean'; readonly end: number }
  /** With a frame that was cut off: written by nobody who was told so. */
  | { readonly type: 'cut'; readonly end: number }
  /** Not yet: a good frame follows at `next`, so what is between was written and is damaged. */
  | { readonly type: 'damaged'; readonly end: number; readonly next: number };

export interface SegmentScanOptions {
  readonly salt: number;
  /** Where to begin; after the file's header unless given. */
  readonly from?: number;
  /** Gets each good frame, and where it begins in the file. */
  readonly visit: (frame: Frame, offset: number) => void;
}

/** A segment is read in pieces of about this size. Values are slices of them, so they are not large. */
const WINDOW_BYTES = 1024 * 1024;

/** Reads frames up to the first that is not good, and tells what comes then. */
export async function scanSegment(file: ReadableFile, options: SegmentScanOptions): Promise<SegmentTail> {
  let start = options.from ?? HEADER_LENGTH;
  let length = WINDOW_BYTES;
  for (;;) {
    const window = await file.read(start, Math.min(length, file.size - start));
    const isLastWindow = start + window.length === file.size;
    const done = visitFrames(window, start, options);
    const rest = window.subarray(done);
    start += done;
    if (isLastWindow) return tailOf(rest, start, options.salt);
    const needed = frameLength(rest);
    if (needed === undefined || needed <= rest.length) {
      return tailOf(await file.read(start, file.size - start), start, options.salt);
    }
    length = Math.max(WINDOW_BYTES, needed);
  }
}

/** How many bytes of good frames the window begins with. */
function visitFrames(window: Buffer, start: number, { salt, visit }: SegmentScanOptions): number {
  let end = 0;
  for (let frame = frameAt(window, 0, salt); frame !== undefined; frame = frameAt(window, end, salt)) {
    visit(frame, start + end);
    end += frame.length;
  }
  return end;
}

function tailOf(rest: Buffer, end: number, salt: number): SegmentTail {
  if (isBlank(rest)) return { type: 'clean', end };
  const next = findFrame(rest, salt);
  return next === undefined ? { type: 'cut', end } : { type: 'damaged', end, next: end + next };
}
