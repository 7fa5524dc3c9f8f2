import type { Buffer } from 'node:buffer';
import { HeaderTable } from './header-table.ts';
import { decodeHuffman } from './huffman.ts';
import { CODE, ConnectionError, DEFAULT_TABLE_BYTES } from './protocol.ts';
import { STATIC_NAMES, STATIC_VALUES } from './static-table.ts';

/** Receives decoded headers. */
export interface FieldSink {
  /** Called with unchecked names and values. */
  field(name: string, value: string): void;
}

/** Enough for every valid number in a header block, after its first byte. */
const MAX_INTEGER_BYTES = 4;

/**
 * Decompresses the header blocks of one connection (RFC 7541), in order.
 *
 * Guarantees: work and memory are linear in the bytes of a block; a decoded header is already in the table or at most 8/5 of
 * its bytes. The sink limits the number and size of headers while it receives them.
 */
export class HpackDecoder {
  readonly #table = new HeaderTable(DEFAULT_TABLE_BYTES);
  #bytes!: Buffer;
  #at = 0;
  #end = 0;

  /** Throws a ConnectionError when the block is invalid, because later blocks could not be decoded. */
  decode(block: Buffer, sink: FieldSink): void {
    this.#bytes = block;
    this.#at = 0;
    this.#end = block.length;
    let mayResize = true;
    while (this.#at < this.#end) {
      const first = block[this.#at++] as number;
      if ((first & 0xe0) === 0x20) {
        if (!mayResize) throw broken('the size of the table changes within a block');
        this.#resize(this.#integer(first, 0x1f));
        continue;
      }
      mayResize = false;
      if ((first & 0x80) !== 0) this.#indexed(this.#integer(first, 0x7f), sink);
      else if ((first & 0x40) !== 0) this.#literal(this.#integer(first, 0x3f), sink, true);
      else this.#literal(this.#integer(first, 0x0f), sink, false);
    }
  }

  #indexed(index: number, sink: FieldSink): void {
    const name = this.#name(index);
    const { length } = STATIC_VALUES;
    sink.field(name, index <= length ? (STATIC_VALUES[index - 1] as string) : this.#table.value(index - length - 1));
  }

  #literal(index: number, sink: FieldSink, isKept: boolean): void {
    const name = index === 0 ? this.#string() : this.#name(index);
    const value = this.#string();
    if (isKept) this.#table.add(name, value);
    sink.field(name, value);
  }

  #name(index: number): string {
    const { length } = STATIC_NAMES;
    if (index === 0 || index > length + this.#table.length) throw broken(`there is no header ${index}`);
    return index <= length ? (STATIC_NAMES[index - 1] as string) : this.#table.name(index - length - 1);
  }

  #resize(limit: number): void {
    if (limit > DEFAULT_TABLE_BYTES) throw broken(`a table of ${limit} bytes is larger than allowed`);
    this.#table.resize(limit);
  }

  #integer(first: number, mask: number): number {
    let value = first & mask;
    if (value < mask) return value;
    for (let count = 0, unit = 1; count < MAX_INTEGER_BYTES; count++, unit *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * unit;
      if ((byte & 0x80) === 0) return value;
    }
    throw broken('a number is too large');
  }

  #string(): string {
    const first = this.#byte();
    const length = this.#integer(first, 0x7f);
    const start = this.#at;
    const end = start + length;
    if (end > this.#end) throw broken('the block ends within a string');
    this.#at = end;
    if ((first & 0x80) === 0) return this.#bytes.toString('latin1', start, end);
    const text = decodeHuffman(this.#bytes, start, end);
    if (text === undefined) throw broken('a string is no Huffman code');
    return text;
  }

  #byte(): number {
    if (this.#at === this.#end) throw broken('the block ends within a header');
    return this.#bytes[this.#at++] as number;
  }
}

function broken(why: string): ConnectionError {
  return new ConnectionError(CODE.compressionError, `Cannot unpack headers: ${why}`);
}
