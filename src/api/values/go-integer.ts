import { quoteGo } from './go-text.ts';
import { ValueError } from './value-error.ts';

/** The Go parser to follow; its name appears in the error. */
export type IntegerParser = 'ParseInt' | 'ParseUint' | 'Atoi';

const SHORT = /^[0-9]{1,9}$/;
/** No 64-bit number has more. */
const MAX_DIGITS = 20;

/** Parses a decimal integer of `bits` bits with the rules and errors of Go's strconv. */
export function parseGoInteger(text: string, parser: IntegerParser, bits: 32 | 64 = 64): bigint | ValueError {
  if (SHORT.test(text)) return BigInt(text);
  const isSigned = parser !== 'ParseUint';
  const start = isSigned && /^[-+]/.test(text) ? 1 : 0;
  const [digits = ''] = /^\d*/.exec(text.slice(start)) ?? [];
  const significant = digits.replace(/^0+/, '');
  const magnitude = significant.length > MAX_DIGITS ? undefined : BigInt(significant);

  // Go reads from the left: too many digits are noticed before a wrong character after them.
  if (magnitude === undefined || magnitude >> BigInt(bits) !== 0n) return refuse(parser, text, 'value out of range');
  if (digits === '' || start + digits.length < text.length) return refuse(parser, text, 'invalid syntax');
  const value = text.startsWith('-') ? -magnitude : magnitude;
  if (isSigned && BigInt.asIntN(bits, value) !== value) return refuse(parser, text, 'value out of range');
  return value;
}

function refuse(parser: IntegerParser, text: string, reason: string): ValueError {
  return new ValueError(`strconv.${parser}: parsing ${quoteGo(text)}: ${reason}`);
}
