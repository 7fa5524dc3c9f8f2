import { Buffer } from 'node:buffer';

/** The size of a transport's writes, and small enough that malloc does not map a separate region. */
const MAX_CHUNK_BYTES = 64 * 1024;
const FIRST_CHUNK = 8 * 1024;
/** Pieces from this size on become chunks themselves instead of being copied. */
const MIN_UNCOPIED_BYTES = MAX_CHUNK_BYTES / 4;

/** Receives a body piece by piece. */
export interface ByteSink {
  bytes(bytes: Uint8Array): void;
  byte(byte: number): void;
  text(text: string): void;
}

/**
 * Combines many small pieces of a body into a few chunks: cheaper to write than the pieces, and cheaper to allocate than one large block.
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
    if (length >= MIN_UNCOPIED_BYTES) {
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
    if (mostBytes >= MIN_UNCOPIED_BYTES) {
      this.bytes(Buffer.from(text));
      return;
    }
    if (this.#at + mostBytes > this.#chunk.length) this.#nextChunk(mostBytes);
    this.#at += this.#chunk.write(text, this.#at);
  }

  /** Writes a protobuf varint. */
  varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  /** Whether `take` would return chunks. */
  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Returns the full chunks, each once. */
  take(): readonly Uint8Array[] {
    return this.#full.splice(0);
  }

  /** Returns everything that was not taken, in order; the writer cannot be used afterwards. */
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
    const size = Math.min(this.#chunk.length * 4, MAX_CHUNK_BYTES);
    if (this.#at > 0) this.#full.push(this.#chunk.subarray(0, this.#at));
    this.#chunk = Buffer.allocUnsafe(Math.max(size, needed));
    this.#at = 0;
  }
}

/** The length of a number as a protobuf varint. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}
