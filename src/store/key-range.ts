import { compareUtf8 } from '../base/index.ts';
import type { KeyRange } from './store.ts';

const LAST_CODE_POINT = 0x10ffff;

/**
 * All keys that start with `prefix`.
 *
 * The empty prefix gives every key, except that no key may start with U+10FFFF, which is not a character.
 *
 * Example: '/registry/pods/' gives from '/registry/pods/' to '/registry/pods0'.
 */
export function prefixRange(prefix: string): KeyRange {
  return { from: prefix, to: afterPrefix(prefix) };
}

/** The range that holds only this key. */
export function singleKey(key: string): KeyRange {
  return { from: key, to: `${key}\0` };
}

export function contains(range: KeyRange, key: string): boolean {
  return compareUtf8(key, range.from) >= 0 && compareUtf8(key, range.to) < 0;
}

/** The smallest string above all that start with `prefix`: increments the last code point that can be incremented. */
function afterPrefix(prefix: string): string {
  for (let end = prefix.length; end > 0;) {
    const whole = prefix.codePointAt(end - 2) ?? 0;
    const isPair = whole > 0xffff;
    const point = isPair ? whole : prefix.charCodeAt(end - 1);
    end -= isPair ? 2 : 1;
    if (point < LAST_CODE_POINT)
      return prefix.slice(0, end) + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return String.fromCodePoint(LAST_CODE_POINT);
}
