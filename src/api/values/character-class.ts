/** Sets of ASCII characters, to be combined with `|`. */
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const DASH = 8;
export const DOT = 16;
export const UNDERSCORE = 32;
export const ALPHANUMERIC = LOWER | UPPER | DIGIT;

const MEMBERS: readonly (readonly [set: number, first: string, last: string])[] = [
  [LOWER, 'a', 'z'],
  [UPPER, 'A', 'Z'],
  [DIGIT, '0', '9'],
  [DASH, '-', '-'],
  [DOT, '.', '.'],
  [UNDERSCORE, '_', '_'],
];

const classOfCode = classify();

function classify(): Uint8Array {
  const table = new Uint8Array(128);
  for (const [set, first, last] of MEMBERS) table.fill(set, first.charCodeAt(0), last.charCodeAt(0) + 1);
  return table;
}

/** The set of the character at `index`; 0 if it is in none, or outside the string. */
export function classAt(value: string, index: number): number {
  return classOfCode[value.charCodeAt(index)] ?? 0;
}

/** Whether every character of `value` belongs to `set`; an empty string passes. */
export function isAllOf(value: string, set: number): boolean {
  for (let at = 0; at < value.length; at++) {
    if ((classAt(value, at) & set) === 0) return false;
  }
  return true;
}
