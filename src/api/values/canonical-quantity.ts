import { trimGo } from './go-text.ts';
import { parseQuantity } from './parse-quantity.ts';
import { ValueError } from './value-error.ts';

const MAX_QUICK_LENGTH = 8;

/**
 * The canonical form of a quantity, as the API server prints it.
 *
 * Returns the same string if it is canonical already; recognizes the common forms (`2`, `100m`, `64Mi`) without parsing
 * them.
 */
export function canonicalQuantity(text: string): string | ValueError {
  if (isQuicklyCanonical(text)) return text;
  const quantity = parseQuantity(trimGo(text));
  return quantity instanceof ValueError ? quantity : quantity.toString();
}

/** Up to eight digits, not starting with 0, then nothing, `m`, `Ki`, `Mi` or `Gi`, for which no larger suffix fits. */
function isQuicklyCanonical(text: string): boolean {
  let number = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  if (number === 0) return text === '0';
  if (at > MAX_QUICK_LENGTH || text.charCodeAt(0) === 0x30) return false;
  const left = text.length - at;
  if (left === 0) return number % 1000 !== 0;
  const letter = text.charCodeAt(at);
  if (left === 1) return letter === 0x6d /* m */ && number % 1000 !== 0;
  if (left !== 2 || text.charCodeAt(at + 1) !== 0x69 /* i */) return false;
  return (letter === 0x4b /* K */ || letter === 0x4d /* M */ || letter === 0x47) /* G */ && number % 1024 !== 0;
}
