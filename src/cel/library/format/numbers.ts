import { formatFixed } from '../../values/index.ts';

/** `%.Nf` as Go prints it. */
export function formatPlain(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return roundTo(value, precision);
}

/** The number with exactly `precision` digits behind the point, rounded half to even on its exact value. */
function roundTo(value: number, precision: number): string {
  if (precision <= 100 && Math.abs(value) < 1e21) return signed(value, Math.abs(value).toFixed(precision));
  const exact = Math.abs(value) < 1e21 ? Math.abs(value).toFixed(100) : formatWhole(value);
  const [whole = '', fraction = ''] = exact.split('.');
  return signed(value, precision === 0 ? whole : `${whole}.${fraction.padEnd(precision, '0').slice(0, precision)}`);
}

function formatWhole(value: number): string {
  return Number.isInteger(value) ? BigInt(Math.abs(value)).toString() : formatFixed(Math.abs(value));
}

function signed(value: number, digits: string): string {
  return value < 0 || Object.is(value, -0) ? `-${digits}` : digits;
}

/** `%.Nf` in English: groups of three digits are separated by commas. */
export function formatGrouped(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const [whole = '', fraction] = roundTo(value, precision).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `%Ne` in English: `1.5\u202f×\u202f10⁰³`. */
export function formatScientific(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential(Math.min(precision, 100)).split('e');
  const digits = String(Math.abs(Number(exponent))).padStart(2, '0');
  const raised = [...digits].map((digit) => SUPERSCRIPTS.charAt(Number(digit))).join('');
  return signed(value, `${mantissa}\u202f×\u202f10${Number(exponent) < 0 ? '⁻' : ''}${raised}`);
}
