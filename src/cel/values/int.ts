import { CelError } from './failure.ts';

/** A 64-bit integer: a number where that is exact, otherwise a bigint. */
export type Int = number | bigint;

const OVERFLOW = 'integer overflow';
export const MAX_INT = 2n ** 63n - 1n;
export const MIN_INT = -(2n ** 63n);

/** The shortest form of an integer that may be too large for 64 bits: then it is an error. */
export function checkedInt(value: bigint): Int | CelError {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return value > MAX_INT || value < MIN_INT ? new CelError(OVERFLOW) : value;
}

export function addInts(left: Int, right: Int): Int | CelError {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checkedInt(BigInt(left) + BigInt(right));
}

export function subtractInts(left: Int, right: Int): Int | CelError {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checkedInt(BigInt(left) - BigInt(right));
}

export function multiplyInts(left: Int, right: Int): Int | CelError {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right;
    if (Number.isSafeInteger(product)) return product + 0; // avoids a negative zero
  }
  return checkedInt(BigInt(left) * BigInt(right));
}

/** Rounds towards zero. */
export function divideInts(left: Int, right: Int): Int | CelError {
  if (right === 0) return new CelError('division by zero');
  if (typeof left === 'number' && typeof right === 'number') return (left - (left % right)) / right + 0;
  return checkedInt(BigInt(left) / BigInt(right));
}

/** Has the sign of the left operand. */
export function moduloInts(left: Int, right: Int): Int | CelError {
  if (right === 0) return new CelError('modulus by zero');
  if (typeof left === 'number' && typeof right === 'number') return (left % right) + 0;
  if (right === -1 && BigInt(left) === MIN_INT) return new CelError(OVERFLOW);
  return checkedInt(BigInt(left) % BigInt(right));
}

export function negateInt(value: Int): Int | CelError {
  return typeof value === 'number' ? 0 - value : checkedInt(-value);
}

/** An int from a double, rounded towards zero. */
export function doubleToInt(value: number): Int | CelError {
  if (!(value > -9223372036854775808 && value < 9223372036854775808)) return new CelError(OVERFLOW);
  const whole = Math.trunc(value) + 0;
  return Number.isSafeInteger(whole) ? whole : BigInt(whole);
}
