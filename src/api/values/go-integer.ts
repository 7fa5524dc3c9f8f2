import { quoteGo } from './go-text.ts';
import { ValueError } from './value-error.ts';

/** The Go parser to follow; its name appears in the error. */
export type IntegerParser = 'ParseInt' | 'ParseUint' | 'Atoi';

const SHORT = /^[0-9]{1,9}$/;
const MAX_DIGITS = 20;

/** Parses a decimal integer of `bits` bits with the rules and errors of Go's strconv. */
export function parseGoInteger(text: string, parser: IntegerParser, bits: 32 | 64 = 64): bigint | ValueError {
  if (SHORT.test(text)) return BigInt(text);
  const isSigned = parser !== 'ParseUint';
  const start = isSigned && (text.startsWith('-') || text.startsWith('+')) ? 1 : 0;
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  const magnitude = readDigits(text, start, end);

  // Go reads from the left: too many digits are noticed before a wrong character after them.
  if (magnitude === undefined || magnitude >> BigInt(bits) !== 0n) return refuse(parser, text, 'value out of range');
  if (end === start || end < text.length) return refuse(parser, text, 'invalid syntax');
  const value = text.startsWith('-') ? -magnitude : magnitude;
  if (isSigned && BigInt.asIntN(bits, value) !== value) return refuse(parser, text, 'value out of range');
  return value;
}

/** The number in `text` from `start` to `end`; undefined if it has more digits than any 64-bit number. */
function readDigits(text: string, start: number, end: number): bigint | undefined {
  let first = start;
  while (first < end && text.charCodeAt(first) === 0x30) first++;
  return end - first > MAX_DIGITS ? undefined : BigInt(text.slice(first, end));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function refuse(parser: IntegerParser, text: string, reason: string): ValueError {
  return new ValueError(`strconv.${parser}: parsing ${quoteGo(text)}: ${reason}`);
}
