import { roundExactly } from './round-exact.ts';

/** `%.Nf` as Go prints it. */
export function formatPlain(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return roundTo(value, precision);
}

/** No double has more digits behind the point. */
const MAX_FRACTION = 1074;

/** The number with exactly `precision` digits behind the point. */
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
export function formatGrouped(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const [whole = '', fraction] = roundTo(unsignedZero(value), precision).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `%e` in English: `1.500000×10⁰³`. What is written as the precision counts as the width. */
export function formatScientific(value: number, width: number): string {
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
