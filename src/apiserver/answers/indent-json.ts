import { Buffer } from 'node:buffer';
import { type ByteSink, ChunkWriter } from './chunk-writer.ts';
import { jsonStringEnd } from './json-bytes.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const COLON_AND_SPACE = Buffer.from(': ');
/** A line feed and enough indentation for most objects. */
const NEW_LINE = Buffer.from(`\n${' '.repeat(128)}`);

/** Indents compact JSON by two spaces per level. */
export function indentJson(json: Uint8Array): readonly Uint8Array[] {
  const writer = new ChunkWriter();
  new JsonIndenter(writer).bytes(json);
  return writer.finish();
}

/**
 * Indents JSON by two spaces per level while passing it to a sink. It works on bytes, so values, escapes and order do not change; empty
 * objects and lists stay on one line.
 *
 * Assumes: compact JSON; each write ends at the end of a token.
 */
export class JsonIndenter implements ByteSink {
  readonly #sink: ByteSink;
  #depth = 0;
  /** The object or list that was opened last may still turn out to be empty. */
  #isJustOpened = false;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  byte(byte: number): void {
    this.bytes(Uint8Array.of(byte));
  }

  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  bytes(json: Uint8Array): void {
    for (let at = 0; at < json.length;) {
      const end = tokenEnd(json, at);
      this.#token(json, at, end);
      at = end;
    }
  }

  #token(json: Uint8Array, at: number, end: number): void {
    const sink = this.#sink;
    const byte = json[at];
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#depth -= 1;
      if (!this.#isJustOpened) this.#newLine();
    } else if (this.#isJustOpened) this.#newLine();
    this.#isJustOpened = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
    if (this.#isJustOpened) this.#depth += 1;
    if (byte === COLON) sink.bytes(COLON_AND_SPACE);
    else sink.bytes(json.subarray(at, end));
    if (byte === COMMA) this.#newLine();
  }

  #newLine(): void {
    const length = 1 + this.#depth * 2;
    const isShort = length <= NEW_LINE.length;
    this.#sink.bytes(isShort ? NEW_LINE.subarray(0, length) : Buffer.from(`\n${' '.repeat(length - 1)}`));
  }
}

/** The end of the token at `at`. */
function tokenEnd(json: Uint8Array, at: number): number {
  const byte = json[at];
  if (byte === QUOTE) return jsonStringEnd(json, at);
  if (isStructural(byte) || byte === OPEN_OBJECT || byte === OPEN_ARRAY) return at + 1;
  let end = at + 1;
  while (end < json.length && !isStructural(json[end])) end++;
  return end;
}

function isStructural(byte: number | undefined): boolean {
  return byte === COMMA || byte === COLON || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
}
