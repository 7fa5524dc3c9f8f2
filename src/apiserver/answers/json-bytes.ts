/** Whether `bytes` has `expected` at offset `at`. */
export function isJsonPrefix(bytes: Uint8Array, expected: Uint8Array, at = 0): boolean {
  if (at + expected.length > bytes.length) return false;
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * The end of the object that starts at `start`, in well-formed JSON.
 *
 * Example: in `{"a":{"b":"}"},"c":1}` the object at 5 ends at 14.
 */
export function jsonObjectEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = jsonStringEnd(bytes, at) - 1;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE && --depth === 0) return at + 1;
  }
  throw new Error('Cannot find the end of an object: the JSON is truncated');
}

/** The end of the string whose opening quote is at `start`. */
export function jsonStringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}
