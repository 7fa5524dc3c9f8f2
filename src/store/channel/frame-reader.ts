import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { HEAD_BYTES } from './frame-writer.ts';

/** Max length of a frame. Answers are sent in parts, and a batch of events is bounded by a watch's queue. */
const MAX_FRAME_BYTES = 1024 * 1024 * 1024;

/** The body of a frame, read in the order in which it was written. Reading past its end throws a RangeError. */
export class FrameBody {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** In bytes. */
  get size(): number {
    return this.#bytes.length;
  }

  number(): number {
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  count(): number {
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  text(): string {
    return this.bytes().toString();
  }

  /** A view into the frame's memory; copy it to keep it. */
  bytes(): Buffer {
    const length = this.count();
    if (this.#at + length > this.#bytes.length) throw new RangeError('Cannot read a frame: it ends too early');
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }
}

/** Splits a byte stream, however it is cut into pieces, into frames. */
export class FrameReader {
  readonly #onFrame: (kind: number, id: number, body: FrameBody) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  /** How many bytes must be buffered before the next frame can be read. */
  #needed = HEAD_BYTES;

  constructor(onFrame: (kind: number, id: number, body: FrameBody) => void) {
    this.#onFrame = onFrame;
  }

  /** Throws a RangeError when the bytes cannot be frames. */
  read(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < this.#needed) return;
    const bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces, this.#size);
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const length = 4 + bytes.readUInt32LE(at);
      if (length < HEAD_BYTES || length > MAX_FRAME_BYTES)
        throw new RangeError(`Cannot read a frame of ${length} bytes`);
      this.#needed = length;
      if (bytes.length - at < length) break;
      const body = new FrameBody(bytes.subarray(at, at + length), HEAD_BYTES);
      const [kind, id] = [bytes.readUInt8(at + 4), bytes.readUInt32LE(at + 5)];
      at += length;
      this.#needed = HEAD_BYTES;
      this.#onFrame(kind, id, body);
    }
    this.#pieces = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#size = bytes.length - at;
  }
}

/** Reads a channel's frames as they arrive; bytes that cannot be frames end the channel. */
export function readFrames(channel: Duplex, onFrame: (kind: number, id: number, body: FrameBody) => void): void {
  const reader = new FrameReader(onFrame);
  channel.on('data', (piece: Buffer) => {
    try {
      reader.read(piece);
    } catch (error) {
      channel.destroy(error as Error);
    }
  });
  channel.on('error', () => undefined); // a 'close' event follows
}
