import { parseGoInteger } from './go-integer.ts';
import { shift, MAX_ALIGNMENT, type Amount } from './quantity-amount.ts';
import { ValueError } from './value-error.ts';

/** The notation of a quantity, in which it is printed again: `1Ki`, `1k`, `1e3`. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** The factor of a suffix: `base ** exponent`. */
export interface QuantitySuffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const DECIMAL_LETTERS = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const DECIMAL_FROM = -9;
const BINARY_LETTERS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

const suffixes: ReadonlyMap<string, QuantitySuffix> = new Map<string, QuantitySuffix>([
  ...DECIMAL_LETTERS.map((letters, at) => [letters, decimal(DECIMAL_FROM + 3 * at)] as const),
  ...BINARY_LETTERS.slice(1).map((letters, at) => [letters, binary(10 * (at + 1))] as const),
]);

function decimal(exponent: number): QuantitySuffix {
  return { base: 10, exponent, format: 'DecimalSI' };
}

function binary(exponent: number): QuantitySuffix {
  return { base: 2, exponent, format: 'BinarySI' };
}

/** Parses the text after the number: a suffix, or `e` and an exponent. Undefined if it is neither. */
export function readSuffix(text: string): QuantitySuffix | undefined {
  const known = suffixes.get(text);
  if (known !== undefined) return known;
  if (text.length < 2 || (text[0] !== 'e' && text[0] !== 'E')) return undefined;
  const exponent = parseGoInteger(text.slice(1), 'ParseInt');
  if (exponent instanceof ValueError) return undefined;
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: 'DecimalExponent' };
}

/** The canonical form of an amount. */
export function printAmount(amount: Amount, format: QuantityFormat): string {
  if (amount.mantissa === 0n) return '0';
  return (format === 'BinarySI' ? printBinary(amount) : undefined) ?? printDecimal(amount, format);
}

/** With a power of 1024; undefined if it must be decimal: below 1024, and with a fraction. */
function printBinary({ mantissa, scale }: Amount): string | undefined {
  if (scale > MAX_ALIGNMENT) return undefined;
  const unit = scale < 0 ? shift(1n, -scale) : 1n;
  if (mantissa % unit !== 0n) return undefined;
  let rest = scale < 0 ? mantissa / unit : shift(mantissa, scale);
  if (rest > -1024n && rest < 1024n) return undefined;
  let power = 0;
  for (; rest % 1024n === 0n; power++) rest /= 1024n;
  return `${rest}${binarySuffix(power)}`;
}

/** The shortest mantissa whose exponent is a multiple of three. */
function printDecimal({ mantissa, scale }: Amount, format: QuantityFormat): string {
  const digits = mantissa.toString();
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  const exponent = scale + digits.length - end;
  const zeros = ((exponent % 3) + 3) % 3;
  const suffix = decimalSuffix(exponent - zeros, format === 'BinarySI' ? 'DecimalSI' : format);
  return `${digits.slice(0, end)}${'0'.repeat(zeros)}${suffix}`;
}

/**
 * The suffix for `1000 ** (exponent / 3)`.
 * There is none above `E`: like Kubernetes, the bare number is printed then.
 */
function decimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === 'DecimalExponent') return exponent === 0 ? '' : `e${exponent}`;
  return DECIMAL_LETTERS[(exponent - DECIMAL_FROM) / 3] ?? '';
}

/** The suffix for `1024 ** power`; none above `Ei`, as with `decimalSuffix`. */
function binarySuffix(power: number): string {
  return BINARY_LETTERS[power] ?? '';
}
