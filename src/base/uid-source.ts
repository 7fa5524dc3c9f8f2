import { Buffer } from 'node:buffer';
import type { Random } from './random.ts';

/** Where `metadata.uid` comes from. */
export interface UidSource {
  /** A new uid, different from every other. */
  next(): string;
}

/** One uid, for programs that rarely need any: little code, where `RandomUidSource` is fast. */
export function randomUid(random: Random): string {
  const bytes = Buffer.from(random.bytes(UID_BYTES));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6); // version 4
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8); // RFC variant
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const UID_BYTES = 16;
const BATCH_BYTES = 64 * UID_BYTES;
const HEX = Buffer.from('0123456789abcdef', 'latin1');
const DASH = 0x2d;

/** Version 4 UUIDs (RFC 9562) drawn from a `Random`, 64 at a time. */
export class RandomUidSource implements UidSource {
  readonly #random: Random;
  readonly #text = Buffer.alloc(36);
  #batch: Uint8Array = new Uint8Array(0);
  #used = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): string {
    if (this.#used === this.#batch.length) {
      this.#batch = this.#random.bytes(BATCH_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += UID_BYTES;
    this.#batch[start + 6] = (this.#at(start + 6) & 0x0f) | 0x40; // version 4
    this.#batch[start + 8] = (this.#at(start + 8) & 0x3f) | 0x80; // RFC variant
    return this.#write(start);
  }

  #at(index: number): number {
    return this.#batch[index] as number;
  }

  #write(start: number): string {
    const text = this.#text;
    let position = 0;
    for (let index = 0; index < UID_BYTES; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text[position++] = DASH;
      const byte = this.#at(start + index);
      text[position++] = HEX[byte >> 4] as number;
      text[position++] = HEX[byte & 15] as number;
    }
    return text.toString('latin1');
  }
}
