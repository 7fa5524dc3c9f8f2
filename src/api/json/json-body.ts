import { DecodeError } from '../../base/index.ts';
import { encodeJson } from './encode-json.ts';
import { MAX_DEPTH, parseExact } from './exact-parse.ts';
import type { JsonCopy } from './json-copy.ts';
import type { JsonNode } from './json-node.ts';
import { countKeys } from './raw-json.ts';
import { isUtf8 } from 'node:buffer';

/**
 * A parsed JSON text that is not decoded into a type yet, because its kind has to be read first. Clients in the same
 * process send only the value; its text is made if an error has to quote it.
 *
 * The constructor throws a DecodeError in the words of Go's scanner if the text is not JSON.
 */
export class JsonBody {
  readonly survey: Survey;
  readonly #text: string | Uint8Array | JsonCopy;
  #bytes: Uint8Array | undefined;
  #value: { readonly value: unknown } | undefined;
  #node: JsonNode | undefined;

  constructor(text: string | Uint8Array | JsonCopy) {
    this.#text = text;
    if (isCopy(text)) {
      this.survey = { keys: text.keys, isPlain: true };
      this.#value = text;
      return;
    }
    this.survey = survey(this.bytes);
    if (this.survey.isPlain) this.#value = { value: this.#parse() };
    else this.#node = parseExact(this.bytes);
  }

  /** The text, as UTF-8. */
  get bytes(): Uint8Array {
    return (this.#bytes ??= bytesOf(this.#text));
  }

  /** The exact nodes; parsed on first use. */
  get node(): JsonNode {
    return (this.#node ??= parseExact(this.bytes));
  }

  /** Whether an object may have duplicate keys. */
  get mayHaveDuplicates(): boolean {
    return !isCopy(this.#text) && (!this.survey.isPlain || this.survey.keys !== countKeys(this.peekValue()));
  }

  /** The value, read-only, if only duplicate keys are lost in it. */
  peekValue(): unknown {
    if (!this.survey.isPlain) return undefined;
    this.#value ??= { value: this.#parse() };
    return this.#value.value;
  }

  /** The value, if only duplicate keys are lost in it. It belongs to the caller; the next call returns another one. */
  takeValue(): unknown {
    const { value } = this.#value ?? { value: this.#parse() };
    this.#value = undefined;
    return value;
  }

  #parse(): unknown {
    const { buffer, byteOffset, byteLength } = this.bytes;
    try {
      return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
    } catch (cause) {
      parseExact(this.bytes);
      throw new DecodeError('syntax', 'invalid JSON', { cause }); // not reached while both parsers agree on what JSON is
    }
  }
}

function isCopy(text: string | Uint8Array | JsonCopy): text is JsonCopy {
  return typeof text === 'object' && 'keys' in text && !(text instanceof Uint8Array);
}

function bytesOf(text: string | Uint8Array | JsonCopy): Uint8Array {
  if (isCopy(text)) return Buffer.from(encodeJson(text.value));
  return typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
}

/** Facts about a JSON text, found in one pass over its bytes before parsing. */
interface Survey {
  /** The number of keys in all objects, duplicates included. */
  readonly keys: number;
  /**
   * Whether JSON.parse loses nothing but duplicate keys: no number has a fraction, an exponent or more than 15 digits, no
   * surrogate is escaped, nothing is nested too deeply, and the bytes are UTF-8.
   */
  readonly isPlain: boolean;
}

const MAX_PLAIN_DIGITS = 15;

/** Surveys a text that may not be JSON; then the result is meaningless, but JSON.parse will fail. */
function survey(bytes: Uint8Array): Survey {
  const { length } = bytes;
  let keys = 0;
  let depth = 0;
  let isPlain = true;
  let isAscii = true;
  let at = 0;
  while (at < length) {
    const byte = bytes[at] as number;
    at += 1;
    if (byte === 0x22) {
      // a string: up to the quote that is not escaped
      for (; at < length; at++) {
        const inner = bytes[at] as number;
        if (inner === 0x22) break;
        if (inner === 0x5c) {
          at += 1;
          if (bytes[at] === 0x75 && isSurrogate(bytes, at + 1)) isPlain = false;
        } else if (inner > 0x7f) {
          isAscii = false;
        }
      }
      at += 1;
    } else if (byte === 0x3a) {
      keys += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) isPlain = false;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    } else if (byte >= 0x30 && byte <= 0x39) {
      const start = at - 1;
      while (at < length && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at += 1;
      const next = bytes[at];
      if (at - start > MAX_PLAIN_DIGITS || next === 0x2e || next === 0x65 || next === 0x45) isPlain = false;
    }
  }
  return { keys, isPlain: isPlain && (isAscii || isUtf8(bytes)) };
}

/** Whether the four digits of a `\u` escape start with D8 to DF. */
function isSurrogate(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at];
  const second = bytes[at + 1] ?? 0;
  return (first === 0x64 || first === 0x44) && (second === 0x38 || second === 0x39 || second >= 0x41);
}
