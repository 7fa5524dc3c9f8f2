/** The digits of a finite number, and the position of the point: 0.00125 is ['125', -2], 12.5 is ['125', 2]. */
function decimals(value: number): readonly [digits: string, point: number] {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return [mantissa.replace('.', ''), Number(exponent) + 1];
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : undefined;
}

function signOf(value: number): string {
  return value < 0 || Object.is(value, -0) ? '-' : '';
}

/** The shortest form that reads back the same, as Go's `%g` and `%v` print it: `1e+06`, `0.5`. */
export function formatShortest(value: number): string {
  const name = special(value);
  if (name !== undefined) return name;
  if (value === 0) return `${signOf(value)}0`;
  const [digits, point] = decimals(value);
  const exponent = point - 1;
  if (exponent >= -4 && exponent < 6) return formatFixed(value);
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${signOf(value)}${digits.charAt(0)}${fraction}e${formatExponent(exponent)}`;
}

function formatExponent(exponent: number): string {
  return `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** The shortest form that reads back the same, never with an exponent. */
export function formatFixed(value: number): string {
  const name = special(value);
  if (name !== undefined) return name;
  if (value === 0) return `${signOf(value)}0`;
  const [digits, point] = decimals(value);
  if (point <= 0) return `${signOf(value)}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${signOf(value)}${digits.padEnd(point, '0')}`;
  return `${signOf(value)}${digits.slice(0, point)}.${digits.slice(point)}`;
}
