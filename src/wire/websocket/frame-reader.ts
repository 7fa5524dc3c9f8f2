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

interface FrameHead {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly isControl: boolean;
  readonly mask: Uint8Array | undefined;
  readonly length: number;
  /** Where the payload begins. */
  readonly end: number;
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
  #waiting: Buffer = Buffer.alloc(0);
  /** The current data frame, and how much of it has been read. */
  #open: (FrameHead & { done: number }) | undefined;
  /** The message that continuation frames belong to. */
  #message: { readonly isText: boolean } | undefined;

  constructor(from: 'client' | 'server') {
    this.#isMasked = from === 'client';
  }

  /** Parses more bytes, which are unmasked in place. Nothing may follow 'close' or 'broken'. */
  *read(chunk: Uint8Array): Generator<FrameWord> {
    this.#waiting =
      this.#waiting.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([this.#waiting, chunk]);
    for (;;) {
      if (this.#open !== undefined) {
        if (this.#waiting.length === 0 && this.#open.length > 0) return;
        yield this.#data(this.#open);
        continue;
      }
      const head = readHead(this.#waiting, this.#isMasked);
      if (head === undefined) break;
      const word = head === 'broken' ? BROKEN : head.isControl ? this.#control(head) : this.#begin(head);
      if (word === 'incomplete') break;
      if (word === undefined) continue;
      yield word;
      if (word.type === 'close' || word.type === 'broken') return;
    }
    this.#waiting = Buffer.from(this.#waiting); // copied, so that a few bytes do not keep a whole chunk alive
  }

  #begin(head: FrameHead): FrameWord | undefined {
    const isContinuation = head.opcode === OPCODE.continuation;
    if (isContinuation !== (this.#message !== undefined)) return BROKEN;
    this.#message ??= { isText: head.opcode === OPCODE.text };
    this.#waiting = this.#waiting.subarray(head.end);
    this.#open = { ...head, done: 0 };
    return undefined;
  }

  #data(open: FrameHead & { done: number }): FrameWord {
    const payload = this.#waiting.subarray(0, open.length - open.done);
    this.#waiting = this.#waiting.subarray(payload.length);
    if (open.mask !== undefined) applyMask(payload, open.mask, open.done);
    open.done += payload.length;
    const isFrameEnd = open.done === open.length;
    const isEnd = isFrameEnd && open.isFinal;
    const isText = this.#message?.isText === true;
    if (isFrameEnd) this.#open = undefined;
    if (isEnd) this.#message = undefined;
    return { type: 'data', isText, payload, isEnd };
  }

  #control({ opcode, end, length, mask }: FrameHead): FrameWord | 'incomplete' {
    if (this.#waiting.length < end + length) return 'incomplete';
    const payload = Buffer.from(this.#waiting.subarray(end, end + length));
    this.#waiting = this.#waiting.subarray(end + length);
    if (mask !== undefined) applyMask(payload, mask, 0);
    if (opcode !== OPCODE.close) return { type: opcode === OPCODE.ping ? 'ping' : 'pong', payload };
    if (length === 0) return { type: 'close', code: CLOSE_CODE.noStatus, reason: '' };
    const code = length === 1 ? 0 : payload.readUInt16BE(0);
    const reason = payload.subarray(2);
    return isCloseCode(code) && isUtf8(reason) ? { type: 'close', code, reason: reason.toString() } : BROKEN;
  }
}

const BROKEN: FrameWord = { type: 'broken' };

/** Undefined while the header is incomplete. Control frames must be short and unfragmented. */
function readHead(bytes: Buffer, isMasked: boolean): FrameHead | 'broken' | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const opcode = first & 0x0f;
  const isControl = opcode >= OPCODE.close;
  const isFinal = (first & 0x80) !== 0;
  const short = second & 0x7f;
  const isKnown = opcode <= OPCODE.binary || (isControl && opcode <= OPCODE.pong);
  if (!isKnown || (first & 0x70) !== 0 || ((second & 0x80) !== 0) !== isMasked) return 'broken';
  if (isControl && (short > MAX_CONTROL_BYTES || !isFinal)) return 'broken';
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
  const end = 2 + lengthBytes + (isMasked ? MASK_BYTES : 0);
  if (bytes.length < end) return undefined;
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const mask = isMasked ? Uint8Array.from(bytes.subarray(end - MASK_BYTES, end)) : undefined;
  return { opcode, isFinal, isControl, mask, length, end };
}

/** Codes that may be sent (RFC 6455, section 7.4). */
function isCloseCode(code: number): boolean {
  if (code >= 3000) return code < 5000;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}
