import { Buffer } from 'node:buffer';

/** As large as a transport writes at once, and below what takes a mapping of its own from the system. */
const LARGEST_CHUNK = 64 * 1024;
const FIRST_CHUNK = 8 * 1024;
/** From this size on, bytes become a chunk of their own instead of being copied. */
const WORTH_A_CHUNK = LARGEST_CHUNK / 4;

/** Where a body is written to, bit by bit. */
export interface ByteSink {
  bytes(bytes: Uint8Array): void;
  byte(byte: number): void;
  text(text: string): void;
}

/**
 * Puts a body together from many small pieces, in a few chunks: cheaper to write than the pieces, and cheaper to get
 * from the system than one large block.
 */
export class ChunkWriter implements ByteSink {
  readonly #full: Uint8Array[] = [];
  #chunk: Buffer;
  #at = 0;

  constructor(firstChunk = FIRST_CHUNK) {
    this.#chunk = Buffer.allocUnsafe(firstChunk);
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes;
    if (length >= WORTH_A_CHUNK) {
      this.#finishChunk();
      this.#full.push(bytes);
      return;
    }
    if (this.#at + length > this.#chunk.length) this.#nextChunk(length);
    this.#chunk.set(bytes, this.#at);
    this.#at += length;
  }

  byte(byte: number): void {
    if (this.#at === this.#chunk.length) this.#nextChunk(1);
    this.#chunk[this.#at++] = byte;
  }

  text(text: string): void {
    const mostBytes = text.length * 3;
    if (mostBytes >= WORTH_A_CHUNK) {
      this.bytes(Buffer.from(text));
      return;
    }
    if (this.#at + mostBytes > this.#chunk.length) this.#nextChunk(mostBytes);
    this.#at += this.#chunk.write(text, this.#at);
  }

  /** A number as protobuf writes it. */
  varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  /** Whether there is something to `take`. */
  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** The chunks that are full, once; the rest follows. */
  take(): readonly Uint8Array[] {
    return this.#full.splice(0);
  }

  /** All that was written and not taken, in order; the writer is used up. */
  finish(): readonly Uint8Array[] {
    this.#finishChunk();
    return this.#full;
  }

  #finishChunk(): void {
    if (this.#at === 0) return;
    this.#full.push(this.#chunk.subarray(0, this.#at));
    this.#chunk = this.#chunk.subarray(this.#at);
    this.#at = 0;
  }

  #nextChunk(needed: number): void {
    const size = Math.min(this.#chunk.length * 4, LARGEST_CHUNK);
    if (this.#at > 0) this.#full.push(this.#chunk.subarray(0, this.#at));
    this.#chunk = Buffer.allocUnsafe(Math.max(size, needed));
    this.#at = 0;
  }
}

/** How many bytes a number takes in protobuf. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}
