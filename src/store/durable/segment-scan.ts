import { HEADER_LENGTH } from './file-header.ts';
import { findFrame, type Frame, frameAt, isBlank } from './frame.ts';

/** How a segment ends after its last good frame. */
export type SegmentTail =
  /** With nothing, or with room that was never written to. */
  | { readonly type: 'clean'; readonly end: number }
  /** With a frame that was cut off: written by nobody who was told so. */
  | { readonly type: 'cut'; readonly end: number }
  /** Not yet: a good frame follows at `next`, so what is between was written and is damaged. */
  | { readonly type: 'damaged'; readonly end: number; readonly next: number };

/** Calls `visit` for each frame up to the first that is not good, and tells what comes then. */
export function scanSegment(content: Buffer, salt: number, visit: (frame: Frame) => void): SegmentTail {
  let end = HEADER_LENGTH;
  for (let frame = frameAt(content, end, salt); frame !== undefined; frame = frameAt(content, end, salt)) {
    visit(frame);
    end = frame.end;
  }
  if (isBlank(content, end)) return { type: 'clean', end };
  const next = findFrame(content, end, salt);
  return next === undefined ? { type: 'cut', end } : { type: 'damaged', end, next };
}
