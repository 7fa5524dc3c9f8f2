import { compareUtf8 } from '../../base/index.ts';
import { Duration } from './duration.ts';
import { CelError, Failure, noSuchOverload } from './failure.ts';
import { Timestamp } from './timestamp.ts';
import { Uint } from './uint.ts';
import { Double, type Value } from './value.ts';

export type Numeric = number | bigint | Uint | Double;

export function isNumeric(value: Value): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Uint;
}

/**
 * -1, 0 or 1; NaN when one of them is not a number. To compare an integer with a double, it is converted to a double.
 */
export function compareNumbers(left: Numeric, right: Numeric): number {
  if (left instanceof Double || right instanceof Double) return compareDoubles(left, right);
  const [a, b] = [left instanceof Uint ? left.value : left, right instanceof Uint ? right.value : right];
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareDoubles(left: Numeric, right: Numeric): number {
  const [a, b] = [toNumber(left), toNumber(right)];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  return a < b ? -1 : a > b ? 1 : 0;
}

function toNumber(value: Numeric): number {
  return value instanceof Double ? value.value : Number(value instanceof Uint ? value.value : value);
}

/** Whether values of this kind have an order at all. */
export function isComparable(value: Value): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    isNumeric(value) ||
    value instanceof Uint8Array ||
    value instanceof Timestamp ||
    value instanceof Duration
  );
}

/** -1, 0 or 1, or an error when the two cannot be compared. */
export function compare(left: Value, right: Value): number | Failure {
  if (right instanceof Failure) return right;
  if (isNumeric(left)) {
    if (!isNumeric(right)) return noSuchOverload();
    const order = compareNumbers(left, right);
    return Number.isNaN(order) ? new CelError('NaN values cannot be ordered') : order;
  }
  if (typeof left === 'string' && typeof right === 'string') return Math.sign(compareUtf8(left, right));
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  if (left instanceof Duration && right instanceof Duration) return order(left.nanos, right.nanos);
  if (left instanceof Timestamp && right instanceof Timestamp) return order(left.nanos, right.nanos);
  return noSuchOverload();
}

function order(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
