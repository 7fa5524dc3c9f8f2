import { Buffer } from 'node:buffer';

/** Size of the buffers in which frames are built; one holds many frames. */
const CHUNK_BYTES = 64 * 1024;

/** Length of the rest, kind, id. */
export const HEAD_BYTES = 9;

/**
 * Builds frames: a head of length (u32), kind (u8) and id (u32), then numbers, strings and bytes.
 *
 * Frames written in one turn of the event loop are sent as one piece if they fit. A buffer that was passed to `send` is
 * never written to again.
 */
export class FrameWriter {
  readonly #send: (bytes: Buffer) => void;
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #sentTo = 0;
  #frameStart = 0;
  #end = 0;
  #isFlushSet = false;

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send;
  }

  /** Begins a frame; everything written until `end` is its body. An earlier frame that was never ended is discarded. */
  begin(kind: number, id: number): this {
    this.#end = this.#frameStart;
    this.#reserve(HEAD_BYTES);
    this.#chunk.writeUInt8(kind, this.#end + 4);
    this.#chunk.writeUInt32LE(id, this.#end + 5);
    this.#end += HEAD_BYTES;
    return this;
  }

  end(): void {
    this.#chunk.writeUInt32LE(this.#end - this.#frameStart - 4, this.#frameStart);
    this.#frameStart = this.#end;
    if (this.#isFlushSet) return;
    this.#isFlushSet = true;
    process.nextTick(() => this.#flush()); // after the microtasks of this turn, which may write more
  }

  /** A revision, or any other integer. */
  number(value: number): this {
    this.#reserve(8);
    this.#end = this.#chunk.writeDoubleLE(value, this.#end);
    return this;
  }

  /** The number of items that follow, or another small number. */
  count(value: number): this {
    this.#reserve(4);
    this.#end = this.#chunk.writeUInt32LE(value, this.#end);
    return this;
  }

  text(text: string): this {
    this.#reserve(4 + text.length * 3);
    const length = this.#chunk.write(text, this.#end + 4);
    this.#chunk.writeUInt32LE(length, this.#end);
    this.#end += 4 + length;
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#reserve(4 + bytes.byteLength);
    this.#end = this.#chunk.writeUInt32LE(bytes.byteLength, this.#end);
    this.#chunk.set(bytes, this.#end);
    this.#end += bytes.byteLength;
    return this;
  }

  #flush(): void {
    this.#isFlushSet = false;
    this.#sendFinished();
  }

  #sendFinished(): void {
    if (this.#frameStart === this.#sentTo) return;
    const bytes = this.#chunk.subarray(this.#sentTo, this.#frameStart);
    this.#sentTo = this.#frameStart;
    this.#send(bytes);
  }

  /** Makes room for more of a frame, in a new buffer if this one is full. */
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#chunk.length) return;
    this.#sendFinished();
    const begun = this.#chunk.subarray(this.#frameStart, this.#end);
    const chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, 2 * (begun.length + bytes)));
    chunk.set(begun);
    this.#chunk = chunk;
    this.#sentTo = 0;
    this.#frameStart = 0;
    this.#end = begun.length;
  }
}
