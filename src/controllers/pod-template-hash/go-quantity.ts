/** How Kubernetes represents a quantity in memory after parsing its canonical text. */
const EXPONENTS: ReadonlyMap<string, number> = new Map([
  ['', 0],
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_EXPONENTS: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const MAX_SMALL_DIGITS = 18;
const MAX_BINARY = 2n ** 63n - 1n;
const NANO_DIGITS = 9;
const WORD = 2n ** 64n;

/** Prints a quantity as Go prints the parsed struct. Only canonical texts are passed. */
export function printQuantity(text: string): string {
  if (text === '0') return struct({ value: 0n, scale: 0, cached: text, format: 'DecimalSI' });
  const [, sign = '', digits = '', suffix = ''] = /^(-?)([0-9]+)(.*)$/.exec(text) ?? [];
  const binary = BINARY_EXPONENTS.get(suffix);
  const amount = BigInt(digits) * (sign === '-' ? -1n : 1n);
  if (binary !== undefined) return printBinary(text, { digits, amount, exponent: binary });
  const isScientific = /^[eE][-+]?[0-9]/.test(suffix);
  const exponent = isScientific ? Number(suffix.slice(1)) : (EXPONENTS.get(suffix) ?? 0);
  const format = isScientific ? 'DecimalExponent' : 'DecimalSI';
  if (digits.length > MAX_SMALL_DIGITS || exponent < -NANO_DIGITS) return wide(amount, { exponent, format });
  const isCached = exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return struct({ value: amount, scale: exponent, cached: isCached ? text : '', format });
}

interface BinaryParts {
  readonly digits: string;
  readonly amount: bigint;
  readonly exponent: number;
}

function printBinary(text: string, { digits, amount, exponent }: BinaryParts): string {
  const value = amount << BigInt(exponent);
  const spareDigits = 15 - digits.length - Math.trunc((exponent * 3) / 10) - 1;
  if (spareDigits < 0) return wide(value > MAX_BINARY ? MAX_BINARY : value, { exponent: 0, format: 'BinarySI' });
  const isCached = (BigInt(digits) & 7n) !== 0n;
  return struct({ value, scale: 0, cached: isCached ? text : '', format: 'BinarySI' });
}

interface SmallQuantity {
  readonly value: bigint;
  readonly scale: number;
  readonly cached: string;
  readonly format: string;
}

function struct({ value, scale, cached, format }: SmallQuantity): string {
  const amount = `i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  return `{${amount} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${cached} Format:(resource.Format)${format}}`;
}

/** Amounts beyond 64 bits are kept as decimals, with nine fractional digits unless they were truncated. */
function wide(amount: bigint, { exponent, format }: { readonly exponent: number; readonly format: string }): string {
  const isCut = format === 'BinarySI' && amount === MAX_BINARY;
  const unscaled = isCut ? amount : amount * 10n ** BigInt(exponent + NANO_DIGITS);
  const size = unscaled < 0n ? -unscaled : unscaled;
  const words: bigint[] = [];
  for (let rest = size; rest > 0n; rest /= WORD) words.push(rest % WORD);
  const bigInt = `unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)[${words.join(' ')}]}`;
  const decimal = `(*inf.Dec){${bigInt} scale:(inf.Scale)${isCut ? 0 : NANO_DIGITS}}`;
  const small = 'i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0}';
  return `{${small} d:(resource.infDecAmount){Dec:${decimal}} s:(string) Format:(resource.Format)${format}}`;
}
