const ABOVE_BASIC = /[\uD800-\uFFFF]/;

/**
 * Whether JavaScript's `<` orders `key` as its UTF-8 bytes, whatever it is compared with.
 *
 * UTF-16 and UTF-8 disagree only where a surrogate (a code point above U+FFFF) meets U+E000..U+FFFF, so it is enough that
 * one of two strings has neither. Every ASCII key passes.
 */
export function ordersNatively(key: string): boolean {
  return !ABOVE_BASIC.test(key);
}

/** Compares as the UTF-8 bytes of the two strings compare (which is by code point): negative, 0 or positive. */
export function compareUtf8(left: string, right: string): number {
  if (left === right) return 0;
  if (ordersNatively(left)) return left < right ? -1 : 1;
  return compareCodePoints(left, right);
}

/** `compareUtf8` without the shortcut. */
export function compareCodePoints(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Moves surrogates above all other code units, where their code points belong. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
