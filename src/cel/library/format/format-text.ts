import { quoteWhole } from '../../../api/values/index.ts';
import { compareUtf8 } from '../../../base/index.ts';
import { Type } from '../../type-terms/index.ts';
import {
  CelError,
  Double,
  Duration,
  isList,
  isMap,
  listItems,
  mapFind,
  mapKeys,
  type MapLike,
  Timestamp,
  typeOf,
  Uint,
  type Value,
} from '../../values/index.ts';
import { toText } from '../standard/conversions.ts';
import { type ClauseLetter, fillFormat, FormatError, wrongType } from './clauses.ts';

const DEFAULT_PRECISION = 6;

/** `format.format(values)`. */
export function formatText(format: string, values: readonly Value[]): Value {
  try {
    return fillFormat(format, {
      count: values.length,
      fill: (clause, position, precision) => show(clause, values[position] as Value, precision ?? DEFAULT_PRECISION),
    });
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
}

function show(clause: ClauseLetter, value: Value, precision: number): string {
  switch (clause) {
    case 's':
      return showString(value);
    case 'd':
      return showDecimal(value);
    case 'f':
      return formatGrouped(doubleFor(clause, value), precision);
    case 'e':
      return formatScientific(doubleFor(clause, value), precision);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integerFor(clause, value).toString(2);
    case 'o':
      return integerFor(clause, value).toString(8);
    case 'x':
    case 'X':
      return clause === 'X' ? showHexadecimal(value).toUpperCase() : showHexadecimal(value);
  }
}

function showString(value: Value): string {
  if (isList(value)) return showList(value);
  if (isMap(value)) return showMap(value);
  const text = toText(value);
  if (typeof text === 'string') return text;
  if (text instanceof CelError) throw new FormatError(`could not convert argument "${text.message}" to string`);
  throw wrongType('s', typeOf(value).name);
}

function showDecimal(value: Value): string {
  return integerFor('d', value).toString();
}

function integerFor(clause: ClauseLetter, value: Value): bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value);
  if (value instanceof Uint) return value.value;
  throw wrongType(clause, typeOf(value).name);
}

const NAMED_DOUBLES: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function doubleFor(clause: ClauseLetter, value: Value): number {
  if (value instanceof Double) return value.value;
  const named = typeof value === 'string' ? NAMED_DOUBLES.get(value) : undefined;
  if (named === undefined) throw wrongType(clause, typeOf(value).name);
  return named;
}

function showHexadecimal(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerFor('x', value).toString(16);
}

function showList(list: Value & Parameters<typeof listItems>[0]): string {
  return `[${listItems(list).map(showInside).join(', ')}]`;
}

function showMap(map: MapLike): string {
  const entries = [...mapKeys(map)].map((key): readonly [string, string] => {
    const value = mapFind(map, key) as Value;
    return [showKey(key), showInside(value)];
  });
  entries.sort(([a], [b]) => compareUtf8(a, b));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

function showKey(key: Value): string {
  if (typeof key === 'string') return quoteWhole(key);
  if (typeof key === 'boolean') return String(key);
  if (typeof key === 'number' || typeof key === 'bigint' || key instanceof Uint) return showDecimal(key);
  throw new FormatError(`no formatting function for map key of type ${typeOf(key).name}`);
}

/** An element of a list or map, as it would be written in an expression. */
function showInside(value: Value): string {
  if (typeof value === 'string') return quoteWhole(value);
  if (value instanceof Uint8Array) return `b${quoteWhole(Buffer.from(value).toString('utf8'))}`;
  if (value instanceof Double) {
    const text = formatPlain(value.value, DEFAULT_PRECISION);
    return Number.isFinite(value.value) ? text : quoteWhole(text);
  }
  if (value instanceof Duration) return `duration(${quoteWhole(value.toString())})`;
  if (value instanceof Timestamp) return `timestamp(${quoteWhole(value.toString())})`;
  if (
    typeof value === 'object' &&
    value !== null &&
    !isList(value) &&
    !isMap(value) &&
    !(value instanceof Uint) &&
    !(value instanceof Type)
  ) {
    throw new FormatError(`no formatting function for ${typeOf(value).name}`);
  }
  return showString(value);
}

/** `%.Nf` as Go prints it. */
function formatPlain(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return roundTo(value, precision);
}

/** No double has more digits after the point. */
const MAX_FRACTION = 1074;

/** The number with exactly `precision` digits after the point. */
function roundTo(value: number, precision: number): string {
  const exact = Math.min(precision, MAX_FRACTION);
  const digits = roundExactly(value, exact)
    .toString()
    .padStart(exact + 1, '0');
  if (precision === 0) return signed(value, digits);
  const point = digits.length - exact;
  return signed(value, `${digits.slice(0, point)}.${digits.slice(point).padEnd(precision, '0')}`);
}

function signed(value: number, digits: string): string {
  return value < 0 || Object.is(value, -0) ? `-${digits}` : digits;
}

/** In English text, zero has no sign. */
function unsignedZero(value: number): number {
  return value + 0;
}

/** `%.Nf` in English: groups of three digits are separated by commas. */
function formatGrouped(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const [whole = '', fraction] = roundTo(unsignedZero(value), precision).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `%e` in English: `1.500000×10⁰³`. The precision is used as the width. */
function formatScientific(value: number, width: number): string {
  if (Number.isNaN(value)) return 'NaN'.padStart(width);
  if (!Number.isFinite(value)) return (value > 0 ? '∞' : '-∞').padStart(width);
  const [mantissa, exponent] = scientific(Math.abs(value));
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  const raised = [...digits].map((digit) => SUPERSCRIPTS.charAt(Number(digit))).join('');
  return signed(unsignedZero(value), `${mantissa}×10${exponent < 0 ? '⁻' : ''}${raised}`).padStart(width);
}

function scientific(value: number): readonly [mantissa: string, exponent: number] {
  const exponent = Number(value.toExponential().split('e')[1]);
  const digits = roundExactly(value, 6 - exponent)
    .toString()
    .padEnd(7, '0');
  return [`${digits.charAt(0)}.${digits.slice(1, 7)}`, exponent + digits.length - 7];
}

const FRACTION_BITS = 52n;
const BIAS = 1075n;

/** The number times a power of ten, rounded to a whole number: by its exact binary value, half to even. */
function roundExactly(value: number, power: number): bigint {
  const [mantissa, exponent] = partsOf(Math.abs(value));
  const ten = 10n ** BigInt(Math.abs(power));
  const numerator = (power < 0 ? mantissa : mantissa * ten) << (exponent > 0n ? exponent : 0n);
  const denominator = (power < 0 ? ten : 1n) << (exponent < 0n ? -exponent : 0n);
  const whole = numerator / denominator;
  const twice = (numerator - whole * denominator) * 2n;
  const isUp = twice > denominator || (twice === denominator && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

/** The value is the mantissa times two to the power of the exponent. */
function partsOf(value: number): readonly [mantissa: bigint, exponent: bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << FRACTION_BITS) - 1n);
  const exponent = bits >> FRACTION_BITS;
  return exponent === 0n ? [fraction, 1n - BIAS] : [fraction | (1n << FRACTION_BITS), exponent - BIAS];
}
