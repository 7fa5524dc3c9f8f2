/** Sets of ASCII characters, to be combined with `|`. */
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const DASH = 8;
export const DOT = 16;
export const UNDERSCORE = 32;
export const ALPHANUMERIC = LOWER | UPPER | DIGIT;

const MEMBERS: readonly (readonly [number, string])[] = [
  [LOWER, 'abcdefghijklmnopqrstuvwxyz'],
  [UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [DIGIT, '0123456789'],
  [DASH, '-'],
  [DOT, '.'],
  [UNDERSCORE, '_'],
];

const classOfCode = classify();

function classify(): Uint8Array {
  const table = new Uint8Array(128);
  for (const [set, characters] of MEMBERS) {
    for (const character of characters) table[character.charCodeAt(0)] = set;
  }
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
