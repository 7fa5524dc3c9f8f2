/** Prints a number as Go's %g does: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return plainDecimal(mantissa, power);
  const sign = power < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** The same for a number that Go has rounded to 32 bits. */
export function formatGoFloat32(value: number): string {
  const rounded = Math.fround(value);
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(rounded.toPrecision(digits));
    if (Math.fround(short) === rounded) return formatGoFloat(short);
  }
  return formatGoFloat(rounded);
}

function plainDecimal(mantissa: string, power: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  const fraction = digits.slice(power + 1);
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}
