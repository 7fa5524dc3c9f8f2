import { crc32 } from 'node:zlib';
import type { Revision } from '../store.ts';
import { readU64, writeU64 } from './u64.ts';

/**
 * Length of a frame's head. A frame is what one group commit writes: the head, then the records of the group.
 *
 * The next frame is written only after this one is on disk. So a frame with a wrong checksum is either the last one,
 * truncated by a crash before its writes were acknowledged, or damage; it is damage if a good frame follows.
 */
export const FRAME_HEAD = 32;

const MAGIC = Buffer.from('KFr1', 'latin1');
const LENGTH_OFFSET = 4;
const CRC_OFFSET = 8;
const COUNT_OFFSET = 12;
const FIRST_OFFSET = 16;
const TIME_OFFSET = 24;

export interface FrameHead {
  readonly recordCount: number;
  /** The revision of the frame's first transaction, or of the next one to come if the frame has none. */
  readonly firstRevision: Revision;
  readonly timeMs: number;
}

export interface Frame extends FrameHead {
  /** Length of the whole frame. */
  readonly length: number;
  readonly payload: Buffer;
}

/** Completes a frame whose payload is already in place behind the space for its head. */
export function sealFrame(frame: Buffer, head: FrameHead, salt: number): void {
  MAGIC.copy(frame);
  frame.writeUInt32LE(frame.length - FRAME_HEAD, LENGTH_OFFSET);
  frame.writeUInt32LE(head.recordCount, COUNT_OFFSET);
  writeU64(frame, head.firstRevision, FIRST_OFFSET);
  writeU64(frame, Math.max(0, Math.floor(head.timeMs)), TIME_OFFSET);
  frame.writeUInt32LE(crc32(frame.subarray(COUNT_OFFSET), salt), CRC_OFFSET);
}

/** The frame that begins at `offset`; `undefined` unless it is complete and its checksum is right. */
export function frameAt(content: Buffer, offset: number, salt: number): Frame | undefined {
  const start = offset + FRAME_HEAD;
  if (start > content.length || content.compare(MAGIC, 0, MAGIC.length, offset, offset + MAGIC.length) !== 0)
    return undefined;
  const end = start + content.readUInt32LE(offset + LENGTH_OFFSET);
  if (end > content.length) return undefined;
  const checked = content.subarray(offset + COUNT_OFFSET, end);
  if (crc32(checked, salt) !== content.readUInt32LE(offset + CRC_OFFSET)) return undefined;
  return {
    length: end - offset,
    recordCount: content.readUInt32LE(offset + COUNT_OFFSET),
    firstRevision: readU64(content, offset + FIRST_OFFSET),
    timeMs: readU64(content, offset + TIME_OFFSET),
    payload: content.subarray(start, end),
  };
}

/** The length that the frame at the beginning of `content` claims to have; `undefined` if no frame begins there. */
export function frameLength(content: Buffer): number | undefined {
  if (content.length < FRAME_HEAD) return FRAME_HEAD;
  return content.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) === 0
    ? FRAME_HEAD + content.readUInt32LE(LENGTH_OFFSET)
    : undefined;
}

/** Offset of the first good frame, which may begin at any byte; `undefined` if there is none. */
export function findFrame(content: Buffer, salt: number): number | undefined {
  for (let at = content.indexOf(MAGIC); at >= 0; at = content.indexOf(MAGIC, at + 1)) {
    if (frameAt(content, at, salt) !== undefined) return at;
  }
  return undefined;
}

const BLANK = Buffer.alloc(64 * 1024);

/** Whether all bytes are zero. */
export function isBlank(content: Buffer): boolean {
  for (let at = 0; at < content.length; at += BLANK.length) {
    const part = content.subarray(at, at + BLANK.length);
    if (part.compare(BLANK, 0, part.length) !== 0) return false;
  }
  return true;
}
