import type { ReadableFile } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { findFrame, FRAME_HEAD, type Frame, frameAt, frameLength, isBlank } from './frame.ts';

/** How a segment continues after its last good frame. Offsets are in the file. */
export type SegmentTail =
  /** Nothing, or preallocated zeros. */
  | { readonly type: 'clean'; readonly end: number }
  /** A truncated frame, which was never acknowledged. */
  | { readonly type: 'cut'; readonly end: number }
  /** Another good frame at `next`, so the bytes between are damaged. */
  | { readonly type: 'damaged'; readonly end: number; readonly next: number };

export interface SegmentScanOptions {
  readonly salt: number;
  /** Where to begin; default: after the file's header. */
  readonly from?: number;
  /** Receives each good frame and its offset in the file. */
  readonly visit: (frame: Frame, offset: number) => void;
}

/**
 * A segment is read in pieces of about this size. Values are slices of a piece and keep it in memory, so pieces are
 * small.
 */
const WINDOW_BYTES = 2 * 1024 * 1024;

/** Reads frames up to the first that is not good, and returns what follows. */
export async function scanSegment(file: ReadableFile, options: SegmentScanOptions): Promise<SegmentTail> {
  let start = options.from ?? HEADER_LENGTH;
  let window = await readWindow(file, start);
  for (;;) {
    const end = start + window.length;
    const next = readWindow(file, end); // the disk works while this window is decoded
    next.catch(() => undefined); // awaited below, or irrelevant because this window throws
    const done = visitFrames(window, start, options);
    start += done;
    const rest = window.subarray(done);
    if (end === file.size) return tailOf(rest, start, options.salt);
    window = await next;
    if (rest.length === 0) continue;
    const frame = await readAcross(file, { start, rest, next: window });
    const length = frame === undefined ? 0 : visitFrames(frame, start, options);
    if (length === 0) return tailOf(await file.read(start, file.size - start), start, options.salt);
    start += length;
    window = start <= end + window.length ? window.subarray(start - end) : await readWindow(file, start);
  }
}

function readWindow(file: ReadableFile, start: number): Promise<Buffer> {
  return file.read(start, Math.min(WINDOW_BYTES, file.size - start));
}

/**
 * The frame that begins in the `rest` of one window and ends in the `next` one or later; `undefined` if there is none.
 */
async function readAcross(
  file: ReadableFile,
  { start, rest, next }: { readonly start: number; readonly rest: Buffer; readonly next: Buffer },
): Promise<Buffer | undefined> {
  const head = rest.length >= FRAME_HEAD ? rest : Buffer.concat([rest, next.subarray(0, FRAME_HEAD)]);
  const length = frameLength(head);
  if (length === undefined || length <= rest.length || start + length > file.size) return undefined;
  const missing = length - rest.length;
  if (missing > next.length) return file.read(start, length);
  const frame = Buffer.allocUnsafeSlow(length); // not from Node's pool, because values are slices of it
  rest.copy(frame);
  next.copy(frame, rest.length, 0, missing);
  return frame;
}

/** Returns how many bytes of good frames the window begins with. */
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
