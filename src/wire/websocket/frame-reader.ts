import { Buffer, isUtf8 } from 'node:buffer';
import { applyMask, CLOSE_CODE, MASK_BYTES, OPCODE } from './frame.ts';

/** A received frame, or a part of a message. */
export type FrameWord =
  /** A part of a message, as it arrives; `isEnd` with the last one, which may be empty. */
  | { readonly type: 'data'; readonly isText: boolean; readonly payload: Uint8Array; readonly isEnd: boolean }
  | { readonly type: 'ping' | 'pong'; readonly payload: Uint8Array }
  | { readonly type: 'close'; readonly code: number; readonly reason: string }
  | { readonly type: 'broken' };

const MAX_CONTROL_BYTES = 125;
const NOTHING = Buffer.alloc(0);

interface FrameHead {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly isControl: boolean;
  readonly mask: Uint8Array | undefined;
  readonly length: number;
  /** Where the payload begins. */
  readonly end: number;
  /** How much of the payload has been read. */
  done: number;
}

/**
 * Splits bytes into frames.
 *
 * Guarantees: buffers at most a frame's header and 125 bytes, whatever lengths the other side announces. Frames that use
 * extensions are rejected.
 */
export class FrameReader {
  /** Frames of clients are masked, those of servers are not. */
  readonly #isMasked: boolean;
  #waiting: Buffer = NOTHING;
  /** The current data frame. */
  #open: FrameHead | undefined;
  /** The message that continuation frames belong to. */
  #message: { readonly isText: boolean } | undefined;

  constructor(from: 'client' | 'server') {
    this.#isMasked = from === 'client';
  }

  /** Parses more bytes, which are unmasked in place. Nothing may follow 'close' or 'broken'. */
  *read(chunk: Uint8Array): Generator<FrameWord> {
    const bytes =
      this.#waiting.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([this.#waiting, chunk]);
    this.#waiting = NOTHING;
    let at = 0;
    for (;;) {
      if (this.#open !== undefined) {
        const { length, done } = this.#open;
        const end = Math.min(bytes.length, at + length - done);
        if (at === end && length > 0) return;
        const payload = bytes.subarray(at, end);
        at = end;
        yield this.#data(this.#open, payload);
        continue;
      }
      const head = readHead(bytes, at, this.#isMasked);
      if (head === undefined) break;
      if (head === 'broken') {
        yield BROKEN;
        return;
      }
      if (head.isControl && bytes.length < head.end + head.length) break;
      at = head.end;
      const word = head.isControl ? control(head, bytes.subarray(at, at + head.length)) : this.#begin(head);
      if (word === undefined) continue;
      at += head.length;
      yield word;
      if (word.type === 'close' || word.type === 'broken') return;
    }
    if (at < bytes.length) this.#waiting = Buffer.from(bytes.subarray(at)); // copied, so that a few bytes do not keep a whole chunk alive
  }

  #begin(head: FrameHead): FrameWord | undefined {
    const isContinuation = head.opcode === OPCODE.continuation;
    if (isContinuation !== (this.#message !== undefined)) return BROKEN;
    this.#message ??= head.opcode === OPCODE.text ? TEXT : BINARY;
    this.#open = head;
    return undefined;
  }

  #data(open: FrameHead, payload: Uint8Array): FrameWord {
    if (open.mask !== undefined) applyMask(payload, open.mask, open.done);
    open.done += payload.length;
    const isFrameEnd = open.done === open.length;
    const isEnd = isFrameEnd && open.isFinal;
    const isText = this.#message?.isText === true;
    if (isFrameEnd) this.#open = undefined;
    if (isEnd) this.#message = undefined;
    return { type: 'data', isText, payload, isEnd };
  }
}

const TEXT = { isText: true };
const BINARY = { isText: false };

function control({ opcode, length, mask }: FrameHead, content: Buffer): FrameWord {
  const payload = Buffer.from(content);
  if (mask !== undefined) applyMask(payload, mask, 0);
  if (opcode !== OPCODE.close) return { type: opcode === OPCODE.ping ? 'ping' : 'pong', payload };
  if (length === 0) return { type: 'close', code: CLOSE_CODE.noStatus, reason: '' };
  const code = length === 1 ? 0 : payload.readUInt16BE(0);
  const reason = payload.subarray(2);
  return isCloseCode(code) && isUtf8(reason) ? { type: 'close', code, reason: reason.toString() } : BROKEN;
}

const BROKEN: FrameWord = { type: 'broken' };

/** Undefined while the header is incomplete. Control frames must be short and unfragmented. */
function readHead(bytes: Buffer, at: number, isMasked: boolean): FrameHead | 'broken' | undefined {
  if (bytes.length < at + 2) return undefined;
  const first = bytes[at] as number;
  const second = bytes[at + 1] as number;
  const opcode = first & 0x0f;
  const isControl = opcode >= OPCODE.close;
  const isFinal = (first & 0x80) !== 0;
  const short = second & 0x7f;
  const isKnown = opcode <= OPCODE.binary || (isControl && opcode <= OPCODE.pong);
  if (!isKnown || (first & 0x70) !== 0 || ((second & 0x80) !== 0) !== isMasked) return 'broken';
  if (isControl && (short > MAX_CONTROL_BYTES || !isFinal)) return 'broken';
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
  const end = at + 2 + lengthBytes + (isMasked ? MASK_BYTES : 0);
  if (bytes.length < end) return undefined;
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  return {
    opcode,
    isFinal,
    isControl,
    mask: isMasked ? maskAt(bytes, end - MASK_BYTES) : undefined,
    length,
    end,
    done: 0,
  };
}

/** A copy: the bytes may be overwritten before the frame is complete. */
function maskAt(bytes: Buffer, at: number): Uint8Array {
  const mask = new Uint8Array(MASK_BYTES);
  for (let index = 0; index < MASK_BYTES; index++) mask[index] = bytes[at + index] as number;
  return mask;
}

/** Codes that may be sent (RFC 6455, section 7.4). */
function isCloseCode(code: number): boolean {
  if (code >= 3000) return code < 5000;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}
