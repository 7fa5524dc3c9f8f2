/** The meaning of a plain scalar for Go's YAML decoder, which reads YAML 1.1 with exceptions. */
export type GoScalar =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  /** It looks like a date or time; read as text, but quoted when written. */
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'merge' }
  | { readonly kind: 'string' };

const STRING: GoScalar = { kind: 'string' };
const NULL: GoScalar = { kind: 'null' };
const TRUE: GoScalar = { kind: 'bool', value: true };
const FALSE: GoScalar = { kind: 'bool', value: false };

/** y, Y, yes, Yes, YES and so on, in the three valid spellings. */
function spellings(words: readonly string[], meaning: GoScalar): (readonly [string, GoScalar])[] {
  return words.flatMap((word) => [
    [word, meaning] as const,
    [word.charAt(0).toUpperCase() + word.slice(1), meaning] as const,
    [word.toUpperCase(), meaning] as const,
  ]);
}

const WORDS: ReadonlyMap<string, GoScalar> = new Map([
  ...spellings(['y', 'yes', 'true', 'on'], TRUE),
  ...spellings(['n', 'no', 'false', 'off'], FALSE),
  ...spellings(['null'], NULL),
  ['', NULL],
  ['~', NULL],
  ['<<', { kind: 'merge' }],
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, { kind: 'float', value: Number.NaN }] as const),
  ...['.inf', '.Inf', '.INF'].flatMap((word) => [
    [word, { kind: 'float', value: Infinity }] as const,
    [`+${word}`, { kind: 'float', value: Infinity }] as const,
    [`-${word}`, { kind: 'float', value: -Infinity }] as const,
  ]),
]);

const MAX_WORD_LENGTH = '+.inf'.length;

const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const DATE =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?)?$/;
/** Longer numbers do not fit 64 bits in any base. */
const MAX_INTEGER_LENGTH = 70;

export function resolveScalar(text: string): GoScalar {
  const word = text.length <= MAX_WORD_LENGTH ? WORDS.get(text) : undefined;
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  if (first === 0x2e) return resolveFloat(text);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (!isDigit && first !== 0x2b && first !== 0x2d) return STRING;
  if (isTimestamp(text)) return { kind: 'timestamp' };
  const plain = text.replaceAll('_', '');
  return resolveInteger(plain) ?? resolveFloat(plain);
}

function resolveInteger(text: string): GoScalar | undefined {
  const match = INTEGER.exec(text);
  if (match === null || text.length > MAX_INTEGER_LENGTH) return undefined;
  const [, sign = '', digits = ''] = match;
  // a single leading zero means octal, too
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const value = sign === '-' ? -magnitude : magnitude;
  const isSigned = BigInt.asIntN(64, value) === value;
  const isUnsigned = sign === '' && BigInt.asUintN(64, value) === value;
  return isSigned || isUnsigned ? { kind: 'int', value } : undefined;
}

function resolveFloat(text: string): GoScalar {
  if (!FLOAT.test(text)) return STRING;
  const value = Number(text);
  return Number.isFinite(value) ? { kind: 'float', value } : STRING;
}

function isTimestamp(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [, month, day, hour = match[6], minute = match[7], second = match[8]] = match;
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(month), 0)).getUTCDate();
  const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
  return isDate && Number(hour ?? 0) <= 23 && Number(minute ?? 0) <= 59 && Number(second ?? 0) <= 59;
}
