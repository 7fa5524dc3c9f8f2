/** A number as `mantissa * 10 ** scale`. */
export interface Amount {
  readonly mantissa: bigint;
  readonly scale: number;
  /**
   * Kubernetes keeps a small amount in 64 bits and any other as a big decimal, which has visible effects: only small ones
   * count as integers, and the two round and overflow differently when read as 64-bit numbers.
   */
  readonly isWide: boolean;
}

/** The largest power of ten that fits into 64 bits. */
export const MAX_POWER = 18;

/** Amounts whose scales differ by more are not aligned: the smaller one is dropped, instead of writing gigabytes of zeros. */
export const MAX_ALIGNMENT = 10_000;

/** Negative, 0 or positive. Never aligns more digits than the amounts have. */
export function compareAmounts(left: Amount, right: Amount): number {
  if (left.scale === right.scale) return order(left.mantissa, right.mantissa);
  if (left.mantissa === 0n || right.mantissa === 0n) return order(left.mantissa, right.mantissa);
  if (left.mantissa < 0n !== right.mantissa < 0n) return left.mantissa < 0n ? -1 : 1;
  const larger = order(magnitude(left), magnitude(right));
  if (larger !== 0) return left.mantissa < 0n ? -larger : larger;
  const [first, second] = align(left, right); // the magnitudes are equal, so the scales differ by no more than the digits
  return order(first, second);
}

/** The number of digits before the decimal point. */
function magnitude({ mantissa, scale }: Amount): number {
  return (mantissa < 0n ? -mantissa : mantissa).toString().length + scale;
}

/** The exact sum (but see `MAX_ALIGNMENT`). Stays small if Kubernetes' does. */
export function addAmounts(left: Amount, right: Amount): Amount {
  const isWide = left.isWide || right.isWide;
  if (!isWide && right.mantissa === 0n) return left;
  if (!isWide && left.mantissa === 0n) return right;
  if (Math.abs(left.scale - right.scale) > MAX_ALIGNMENT) return { ...larger(left, right), isWide: true };
  const [first, second] = align(left, right);
  const sum = first + second;
  const fits = [first, second, sum].every((value) => fitInt64(value) !== undefined);
  return { mantissa: sum, scale: Math.min(left.scale, right.scale), isWide: isWide || !fits };
}

/** Of two amounts that are very far apart, the one further from zero. */
function larger(left: Amount, right: Amount): Amount {
  if (left.mantissa === 0n || right.mantissa === 0n) return left.mantissa === 0n ? right : left;
  return left.scale > right.scale ? left : right;
}

/** Both mantissas at the finer of the two scales. */
function align(left: Amount, right: Amount): readonly [bigint, bigint] {
  const scale = Math.min(left.scale, right.scale);
  return [shift(left.mantissa, left.scale - scale), shift(right.mantissa, right.scale - scale)];
}

/** Upstream multiplies by these powers of ten in one step, and keeps the low 64 bits on overflow. */
const WRAPPING_POWERS: ReadonlySet<number> = new Set([1, 2, 3, 6, 9]);

/**
 * A small amount as a 64-bit number of `10 ** wanted` units, rounded away from zero. Overflows give the same wrong result
 * as upstream's.
 */
export function smallValue({ mantissa, scale }: Amount, wanted: number): bigint {
  const power = scale - wanted;
  if (WRAPPING_POWERS.has(power)) return BigInt.asIntN(64, shift(mantissa, power));
  if (power >= 0) return power > MAX_POWER ? 0n : (fitInt64(shift(mantissa, power)) ?? 0n);
  const unit = shift(1n, -power);
  const whole = mantissa / unit;
  if (mantissa % unit === 0n) return whole;
  return mantissa > 0n ? whole + 1n : whole - 1n;
}

/**
 * A wide amount as a 64-bit number of `10 ** wanted` units. Rounds up even if negative, and keeps the low 64 bits on
 * overflow, as upstream does; existing negative and huge limits depend on it.
 */
export function wideValue({ mantissa, scale }: Amount, wanted: number): bigint {
  if (scale - wanted > MAX_POWER) return BigInt.asIntN(64, mantissa << 63n); // upstream's power overflows to -2^63
  if (scale >= wanted) return BigInt.asIntN(64, shift(mantissa, scale - wanted));
  const unit = shift(1n, wanted - scale);
  const isShort = mantissa < 0x7fff_ffff_ffff_ffffn && wanted - scale < 19;
  const short = isShort ? BigInt.asIntN(64, mantissa) : mantissa;
  const rest = short % unit;
  const whole = isShort || rest >= 0n ? short / unit : short / unit - 1n;
  return BigInt.asIntN(64, rest === 0n ? whole : whole + 1n);
}

/** `mantissa * 10 ** digits`. */
export function shift(mantissa: bigint, digits: number): bigint {
  return mantissa * 10n ** BigInt(digits);
}

/** The value itself if it fits into 64 bits. */
export function fitInt64(value: bigint): bigint | undefined {
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function order(left: bigint | number, right: bigint | number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `10 ** power` as Go computes it: the product of two table entries, not always the nearest number. */
export function powerOfTen(power: number): number {
  if (power < -323 || power > 308) return power < 0 ? 0 : Infinity;
  const rest = Math.abs(power) % 32;
  const coarse = Number(`1e${power < 0 ? power + rest : power - rest}`);
  return power < 0 ? coarse / Number(`1e${rest}`) : coarse * Number(`1e${rest}`);
}
