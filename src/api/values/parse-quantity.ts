import { readSuffix, type QuantityFormat, type QuantitySuffix } from './quantity-format.ts';
import type { Amount } from './quantity-amount.ts';
import { Quantity } from './quantity.ts';
import { ValueError } from './value-error.ts';

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";

/** Kubernetes accepts any length, and takes minutes for the longest; real quantities are short. */
const MAX_TEXT_LENGTH = 4096;
const NANO = -9;
const MAX_BINARY = 2n ** 63n - 1n;
const SUFFIX_LETTERS = 'eEinumkKMGTP';
/** Numbers beyond this are infinite as floats, so their exact decimal scale is lost. */
const INFINITE_SCALE = 400;

/** The parts of a quantity's text: `-01.50Ki` has whole `1`, fraction `50`, suffix `Ki`. */
interface Parts {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
  readonly hasDigits: boolean;
}

/** Parses a quantity exactly as Kubernetes does, odd forms included: `.5`, `1.`, `+2`, `1E3`, even a lone `m` (zero). */
export function parseQuantity(text: string): Quantity | ValueError {
  const parts = split(text);
  if (parts === undefined) return new ValueError(WRONG_FORMAT);
  if (text.length > MAX_TEXT_LENGTH) return new ValueError(WRONG_NUMBER);
  const suffix = readSuffix(parts.suffix);
  if (suffix === undefined) return new ValueError(WRONG_SUFFIX);
  return parseSmall(text, parts, suffix) ?? parseWide(parts, suffix);
}

function split(text: string): Parts | undefined {
  if (text === '') return undefined;
  const isSigned = text.startsWith('-') || text.startsWith('+');
  const start = skip(text, isSigned ? 1 : 0, isZero);
  const wholeEnd = skip(text, start, isDigit);
  const hasPoint = text[wholeEnd] === '.';
  const fractionEnd = hasPoint ? skip(text, wholeEnd + 1, isDigit) : wholeEnd;
  const lettersEnd = skip(text, fractionEnd, isSuffixLetter);
  const isExponentSigned = text[lettersEnd] === '-' || text[lettersEnd] === '+';
  if (skip(text, isExponentSigned ? lettersEnd + 1 : lettersEnd, isDigit) < text.length) return undefined;
  return {
    isNegative: text.startsWith('-'),
    whole: start === wholeEnd ? '0' : text.slice(start, wholeEnd),
    fraction: hasPoint ? text.slice(wholeEnd + 1, fractionEnd) : '',
    suffix: text.slice(fractionEnd),
    hasDigits: /[0-9]/.test(text.slice(0, fractionEnd)),
  };
}

/** Amounts that fit in 64 bits; undefined if this one does not, or must be rounded. */
function parseSmall(
  text: string,
  { isNegative, whole, fraction }: Parts,
  suffix: QuantitySuffix,
): Quantity | undefined {
  const isBinary = suffix.base === 2;
  const room = isBinary
    ? fraction === ''
      ? 14 - whole.length - Math.trunc((suffix.exponent * 3) / 10)
      : -1
    : 18 - whole.length - fraction.length;
  const scale = ((isBinary ? 0 : suffix.exponent) - fraction.length) | 0;
  if (room < 0 || scale < NANO) return undefined;

  const digits = whole + fraction;
  const isCanonical = isBinary
    ? Number(digits) % 8 !== 0
    : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  const unsigned = isBinary ? BigInt(digits) << BigInt(suffix.exponent) : BigInt(digits);
  const amount: Amount = { mantissa: isNegative ? -unsigned : unsigned, scale, isWide: false };
  return new Quantity(amount, suffix.format, isCanonical ? text : undefined);
}

/** Any other amount: rounded up to the next billionth, and if binary capped at the largest 64-bit integer. */
function parseWide({ isNegative, whole, fraction, hasDigits }: Parts, suffix: QuantitySuffix): Quantity | ValueError {
  if (!hasDigits) return new ValueError(WRONG_NUMBER);
  const digits = whole + fraction;
  const rounded =
    suffix.base === 10
      ? roundToNano(digits, (suffix.exponent - fraction.length) | 0)
      : roundToNano((BigInt(digits) << BigInt(suffix.exponent)).toString(), -fraction.length);
  let { mantissa, scale } = rounded;
  let format: QuantityFormat = suffix.format;
  if (format === 'BinarySI') {
    const one = 10n ** BigInt(Math.max(0, -scale));
    if (mantissa > MAX_BINARY * one) [mantissa, scale] = [MAX_BINARY, 0];
    else if (mantissa > 0n && mantissa < one) format = 'DecimalSI';
  }
  return new Quantity({ mantissa: isNegative ? -mantissa : mantissa, scale, isWide: true }, format);
}

/** `digits * 10 ** scale` in billionths, rounded up. */
function roundToNano(digits: string, scale: number): { readonly mantissa: bigint; readonly scale: number } {
  const all = BigInt(digits);
  if (all === 0n) return { mantissa: 0n, scale: Math.abs(scale) > INFINITE_SCALE ? 0 : scale };
  if (scale > INFINITE_SCALE) return { mantissa: all, scale };
  if (scale >= NANO) return { mantissa: all * 10n ** BigInt(scale - NANO), scale: NANO };
  const drop = NANO - scale;
  if (drop >= digits.length) return { mantissa: 1n, scale: NANO };
  const unit = 10n ** BigInt(drop);
  return { mantissa: all % unit === 0n ? all / unit : all / unit + 1n, scale: NANO };
}

function skip(text: string, from: number, accepts: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && accepts(text.charCodeAt(at))) at++;
  return at;
}

function isZero(code: number): boolean {
  return code === 0x30;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSuffixLetter(code: number): boolean {
  return SUFFIX_LETTERS.includes(String.fromCharCode(code));
}
