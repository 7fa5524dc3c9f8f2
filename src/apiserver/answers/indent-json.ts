import { Buffer } from 'node:buffer';
import { ChunkWriter } from './chunk-writer.ts';
import { jsonStringEnd } from './json-bytes.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const COLON_AND_SPACE = Buffer.from(': ');
/** A line feed and as much indentation as most objects need. */
const NEW_LINE = Buffer.from(`\n${' '.repeat(128)}`);

/**
 * JSON without spaces, indented by two a level. Works on the bytes, so that values, escapes and order stay what they
 * are; empty objects and lists stay on their line.
 */
export function indentJson(json: Uint8Array): readonly Uint8Array[] {
  const writer = new ChunkWriter();
  let depth = 0;
  for (let at = 0; at < json.length;) {
    const end = tokenEnd(json, at);
    const byte = json[at];
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) newLine(writer, --depth);
    if (byte === COLON) writer.bytes(COLON_AND_SPACE);
    else writer.bytes(json.subarray(at, end));
    if (end === at + 1 && (byte === OPEN_OBJECT || byte === OPEN_ARRAY)) newLine(writer, ++depth);
    else if (byte === COMMA) newLine(writer, depth);
    at = end;
  }
  return writer.finish();
}

/** Where the token at `at` ends; an empty object or list is one token. */
function tokenEnd(json: Uint8Array, at: number): number {
  const byte = json[at];
  if (byte === QUOTE) return jsonStringEnd(json, at);
  if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return json[at + 1] === byte + 2 ? at + 2 : at + 1;
  if (isStructural(byte)) return at + 1;
  let end = at + 1;
  while (end < json.length && !isStructural(json[end])) end++;
  return end;
}

function isStructural(byte: number | undefined): boolean {
  return byte === COMMA || byte === COLON || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
}

function newLine(writer: ChunkWriter, depth: number): void {
  const length = 1 + depth * 2;
  writer.bytes(length <= NEW_LINE.length ? NEW_LINE.subarray(0, length) : Buffer.from(`\n${' '.repeat(depth * 2)}`));
}
