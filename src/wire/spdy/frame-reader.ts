import { CONTROL, FLAG_FIN, HEAD_BYTES, type SpdyFrame } from './frame.ts';

/** Enough for the headers of remote commands and forwarded ports. */
const MAX_CONTROL_BYTES = 64 * 1024;
const VERSION = 0x8003;
const NOTHING = Buffer.alloc(0);

/**
 * Splits bytes into frames.
 *
 * Guarantees: buffers at most one control frame of 64 KiB. Data is passed on as it arrives, whatever length the frame
 * announces.
 */
export class SpdyFrameReader {
  #waiting: Buffer = NOTHING;
  /** The current data frame, and how much of it is missing. */
  #data: { readonly stream: number; readonly isLast: boolean; left: number } | undefined;

  /** Parses more bytes, which must stay as they are until all their frames are taken, or until `keep`. Nothing may follow 'broken'. */
  *read(chunk: Uint8Array): Generator<SpdyFrame> {
    this.#waiting =
      this.#waiting.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([this.#waiting, chunk]);
    for (;;) {
      const frame = this.#data === undefined ? this.#next() : this.#part(this.#data);
      if (frame === undefined) break;
      if (frame === 'begun') continue;
      yield frame;
      if (frame.type === 'broken') return;
    }
    this.keep();
  }

  /** Copies what is not parsed yet. */
  keep(): void {
    this.#waiting = this.#waiting.length === 0 ? NOTHING : Buffer.from(this.#waiting);
  }

  #next(): SpdyFrame | 'begun' | undefined {
    const bytes = this.#waiting;
    if (bytes.length < HEAD_BYTES) return undefined;
    const length = bytes.readUIntBE(5, 3);
    const isLast = ((bytes[4] ?? 0) & FLAG_FIN) !== 0;
    const isControl = ((bytes[0] ?? 0) & 0x80) !== 0;
    if (!isControl) {
      this.#data = { stream: bytes.readUInt32BE(0), isLast, left: length };
      this.#waiting = bytes.subarray(HEAD_BYTES);
      return 'begun';
    }
    if (bytes.readUInt16BE(0) !== VERSION) return broken('it speaks another version than SPDY/3');
    if (length > MAX_CONTROL_BYTES) return broken(`a control frame has ${length} bytes`);
    if (bytes.length < HEAD_BYTES + length) return undefined;
    this.#waiting = bytes.subarray(HEAD_BYTES + length);
    return controlFrame(bytes.readUInt16BE(2), Buffer.from(bytes.subarray(HEAD_BYTES, HEAD_BYTES + length)), isLast);
  }

  #part(data: { readonly stream: number; readonly isLast: boolean; left: number }): SpdyFrame | undefined {
    if (this.#waiting.length === 0 && data.left > 0) return undefined;
    const payload = this.#waiting.subarray(0, data.left);
    this.#waiting = this.#waiting.subarray(payload.length);
    data.left -= payload.length;
    if (data.left === 0) this.#data = undefined;
    return { type: 'data', stream: data.stream, payload, isLast: data.isLast && data.left === 0 };
  }
}

function controlFrame(type: number, payload: Buffer, isLast: boolean): SpdyFrame {
  const needed = FIXED_BYTES.get(type);
  if (needed === undefined) return { type: 'other' };
  if (payload.length < needed) return broken('a control frame is too short');
  const first = payload.readUInt32BE(0) & 0x7fff_ffff;
  switch (type) {
    case CONTROL.open:
      return { type: 'open', stream: first, block: payload.subarray(needed), isLast };
    case CONTROL.reply:
      return { type: 'reply', stream: first, block: payload.subarray(needed), isLast };
    case CONTROL.headers:
      return { type: 'headers', stream: first, block: payload.subarray(needed), isLast };
    case CONTROL.reset:
      return { type: 'reset', stream: first, status: payload.readUInt32BE(4) };
    case CONTROL.ping:
      return { type: 'ping', id: payload.readUInt32BE(0) };
    default:
      return { type: 'go away' };
  }
}

/** The length of the fixed part before the headers, by type. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [CONTROL.open, 10],
  [CONTROL.reply, 4],
  [CONTROL.reset, 8],
  [CONTROL.ping, 4],
  [CONTROL.goAway, 8],
  [CONTROL.headers, 4],
]);

function broken(reason: string): SpdyFrame {
  return { type: 'broken', reason };
}
