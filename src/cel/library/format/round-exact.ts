const FRACTION_BITS = 52n;
const BIAS = 1075n;

/** The number times a power of ten, rounded to a whole number: by its exact binary value, half to even. */
export function roundExactly(value: number, power: number): bigint {
  const [mantissa, exponent] = partsOf(Math.abs(value));
  const ten = 10n ** BigInt(Math.abs(power));
  const numerator = (power < 0 ? mantissa : mantissa * ten) << (exponent > 0n ? exponent : 0n);
  const denominator = (power < 0 ? ten : 1n) << (exponent < 0n ? -exponent : 0n);
  const whole = numerator / denominator;
  const twice = (numerator - whole * denominator) * 2n;
  const isUp = twice > denominator || (twice === denominator && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

/** The value is the first times two to the power of the second. */
function partsOf(value: number): readonly [mantissa: bigint, exponent: bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << FRACTION_BITS) - 1n);
  const exponent = bits >> FRACTION_BITS;
  return exponent === 0n ? [fraction, 1n - BIAS] : [fraction | (1n << FRACTION_BITS), exponent - BIAS];
}
