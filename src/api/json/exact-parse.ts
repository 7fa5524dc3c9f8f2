import { unexpectedByte, unexpectedEnd } from './go-syntax-error.ts';
import { scanLiteral } from './scan-literal.ts';
import { type JsonEntry, type JsonNode } from './json-node.ts';

/** The limit of Go's scanner. */
export const MAX_DEPTH = 10_000;

const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An object or list whose end has not been reached. */
type Open =
  | { readonly kind: 'object'; readonly entries: JsonEntry[]; key: string }
  | { readonly kind: 'array'; readonly items: JsonNode[] };

/**
 * Parses JSON without losing anything: duplicate keys, their order, and the spelling of numbers. Several times slower than
 * JSON.parse, so it runs only if that has failed or lost something.
 *
 * Throws a DecodeError in the words of Go's scanner. Does not recurse.
 */
export function parseExact(bytes: Uint8Array): JsonNode {
  return new ExactParser(bytes).parse();
}

class ExactParser {
  readonly #bytes: Buffer;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  parse(): JsonNode {
    for (;;) {
      let value = this.#begin();
      while (value !== undefined) {
        const around = this.#open.at(-1);
        if (around === undefined) return this.#endOfInput(value);
        value = this.#append(around, value);
      }
    }
  }

  /** Reads a scalar, or opens an object or list; then it returns undefined. */
  #begin(): JsonNode | undefined {
    const byte = this.#next();
    if (byte === OPEN_OBJECT) return this.#beginObject(byte);
    if (byte === OPEN_LIST) return this.#beginList(byte);
    this.#at -= 1;
    const { node, end } = scanLiteral(this.#bytes, this.#at);
    this.#at = end;
    return node;
  }

  #beginObject(byte: number): JsonNode | undefined {
    this.#push({ kind: 'object', entries: [], key: '' }, byte);
    const next = this.#next();
    if (next === CLOSE_OBJECT) return this.#pop();
    this.#readKey(next);
    return undefined;
  }

  #beginList(byte: number): JsonNode | undefined {
    this.#push({ kind: 'array', items: [] }, byte);
    if (this.#next() === CLOSE_LIST) return this.#pop();
    this.#at -= 1;
    return undefined;
  }

  /** Adds a value to the enclosing one; returns that if it ends there. */
  #append(around: Open, value: JsonNode): JsonNode | undefined {
    const next = this.#next();
    if (around.kind === 'array') {
      around.items.push(value);
      if (next === COMMA) return undefined;
      if (next === CLOSE_LIST) return this.#pop();
      throw unexpectedByte(next, 'after array element');
    }
    around.entries.push({ key: around.key, value });
    if (next === CLOSE_OBJECT) return this.#pop();
    if (next !== COMMA) throw unexpectedByte(next, 'after object key:value pair');
    this.#readKey(this.#next());
    return undefined;
  }

  #readKey(first: number): void {
    if (first !== QUOTE) throw unexpectedByte(first, 'looking for beginning of object key string');
    const { node, end } = scanLiteral(this.#bytes, this.#at - 1);
    this.#at = end;
    const colon = this.#next();
    if (colon !== COLON) throw unexpectedByte(colon, 'after object key');
    const around = this.#open.at(-1);
    if (around?.kind === 'object' && node.kind === 'string') around.key = node.value;
  }

  #push(open: Open, byte: number): void {
    this.#open.push(open);
    if (this.#open.length > MAX_DEPTH) throw unexpectedByte(byte, 'exceeded max depth');
  }

  #pop(): JsonNode | undefined {
    return this.#open.pop();
  }

  #endOfInput(value: JsonNode): JsonNode {
    this.#skipSpace();
    const byte = this.#bytes[this.#at];
    if (byte !== undefined) throw unexpectedByte(byte, 'after top-level value');
    return value;
  }

  /** The next byte that is not a space; throws at the end. */
  #next(): number {
    this.#skipSpace();
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw unexpectedEnd();
    this.#at += 1;
    return byte;
  }

  #skipSpace(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at += 1;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
