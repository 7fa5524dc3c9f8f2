import { HeaderTable } from './header-table.ts';
import { DEFAULT_TABLE_BYTES } from './protocol.ts';
import { STATIC_INDEX, STATIC_NAMES, STATIC_VALUES } from './static-table.ts';
import type { WriteBuffer } from './write-buffer.ts';

/** The headers of a response, with lower-case names. Undefined values are left out. */
export type AnswerHeaders = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Enough for the headers that responses have in common; searching a larger table would cost more than it saves. */
const TABLE_BYTES = 1024;

/** Longer values are unlikely to be repeated. */
const MAX_INDEXED_LENGTH = 128;

/** Differ in each response: they would displace repeated headers from the table. */
const NOT_INDEXED = new Set([
  'content-length',
  'content-range',
  'etag',
  'last-modified',
  'link',
  'location',
  'warning',
]);

/** Proxies must not index them either (RFC 7541, 7.1.3). */
const NEVER_INDEXED = new Set(['audit-id', 'set-cookie', 'proxy-authenticate', 'www-authenticate']);

const STATUS_INDEX = STATIC_INDEX.get(':status') as number;

/** Compresses the response headers of one connection (RFC 7541). Without Huffman coding, which costs more than it saves here. */
export class HpackEncoder {
  readonly #table = new HeaderTable(TABLE_BYTES);
  /** Table size updates to send before the next block. */
  #sizes: number[] = [];
  #tableBytes = DEFAULT_TABLE_BYTES;

  /** Applies the client's limit of the table size. */
  limitTable(bytes: number): void {
    const limit = Math.min(bytes, TABLE_BYTES);
    this.#table.resize(limit);
    const tableBytes = Math.min(bytes, DEFAULT_TABLE_BYTES);
    if (tableBytes === this.#tableBytes) return;
    this.#tableBytes = tableBytes;
    this.#sizes = [Math.min(tableBytes, ...this.#sizes), tableBytes];
  }

  encode(code: number, headers: AnswerHeaders, output: WriteBuffer): void {
    if (this.#sizes.length > 0) this.#tellSizes(output);
    if (code === 200) output.byte(0x80 | STATUS_INDEX);
    else this.#field(':status', String(code), output);
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === 'string') this.#field(name, value, output);
      else if (typeof value === 'number') this.#field(name, String(value), output);
      else if (value !== undefined) for (const one of value) this.#field(name, one, output);
    }
  }

  #tellSizes(output: WriteBuffer): void {
    const [least, last] = this.#sizes as [number, number];
    if (least !== last) integer(least, 0x20, 0x1f, output);
    integer(last, 0x20, 0x1f, output);
    this.#sizes = [];
  }

  #field(name: string, value: string, output: WriteBuffer): void {
    const isKept = value.length <= MAX_INDEXED_LENGTH && !NOT_INDEXED.has(name);
    if (!isKept || NEVER_INDEXED.has(name)) {
      this.#literal(name, value, { first: isKept ? 0x10 : 0x00, mask: 0x0f, output });
      return;
    }
    const known = this.#table.find(name, value);
    if (known !== -1) {
      integer(STATIC_NAMES.length + 1 + known, 0x80, 0x7f, output);
      return;
    }
    const fixed = staticIndex(name, value);
    if (fixed !== undefined) {
      integer(fixed, 0x80, 0x7f, output);
      return;
    }
    this.#literal(name, value, { first: 0x40, mask: 0x3f, output });
    this.#table.add(name, value);
  }

  #literal(name: string, value: string, { first, mask, output }: Literal): void {
    const index = this.#nameIndex(name);
    integer(index, first, mask, output);
    if (index === 0) string(name, output);
    string(value, output);
  }

  #nameIndex(name: string): number {
    const fixed = STATIC_INDEX.get(name);
    if (fixed !== undefined) return fixed;
    const known = this.#table.findName(name);
    return known === -1 ? 0 : STATIC_NAMES.length + 1 + known;
  }
}

interface Literal {
  readonly first: number;
  readonly mask: number;
  readonly output: WriteBuffer;
}

function staticIndex(name: string, value: string): number | undefined {
  const first = STATIC_INDEX.get(name);
  if (first === undefined) return undefined;
  for (let index = first; STATIC_NAMES[index - 1] === name; index++) {
    if (STATIC_VALUES[index - 1] === value) return index;
  }
  return undefined;
}

function string(text: string, output: WriteBuffer): void {
  integer(text.length, 0x00, 0x7f, output);
  output.text(text);
}

function integer(value: number, first: number, mask: number, output: WriteBuffer): void {
  if (value < mask) {
    output.byte(first | value);
    return;
  }
  output.byte(first | mask);
  let rest = value - mask;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) output.byte((rest & 0x7f) | 0x80);
  output.byte(rest);
}
