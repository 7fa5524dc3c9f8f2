import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH } from './exact-parse.ts';

/** What is worth knowing about a JSON text before parsing it, found in one pass over its bytes. */
export interface Survey {
  /** How many keys its objects have, duplicates included. */
  readonly keys: number;
  /**
   * Whether JSON.parse loses nothing but duplicate keys: no number has a fraction, an exponent or more than 15 digits,
   * no surrogate is escaped, nothing is nested too deeply, and the bytes are UTF-8.
   */
  readonly isPlain: boolean;
}

const MAX_PLAIN_DIGITS = 15;

/** Surveys a text that need not be JSON; then what it says means nothing, but JSON.parse will find out. */
export function survey(bytes: Uint8Array): Survey {
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
