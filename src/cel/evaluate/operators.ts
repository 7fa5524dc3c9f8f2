import type { CallCost } from '../cost/call-cost.ts';
import {
  Double,
  equal,
  Failure,
  listItems,
  type List,
  noSuchOverload,
  Optional,
  Uint,
  UnknownValue,
  type Value,
  requireHashable,
} from '../values/index.ts';
import type { Evaluate } from './frame.ts';

/**
 * `&&` and `||` over any number of terms. A `decisive` term ends it; failures count only when no other term decides.
 */
export function logic(terms: readonly Evaluate[], decisive: boolean): Evaluate {
  const [first, second] = terms as readonly [Evaluate, Evaluate];
  if (terms.length === 2) {
    return (frame) => {
      const left = first(frame);
      if (left === decisive) return decisive;
      const right = second(frame);
      if (right === decisive) return decisive;
      return left === !decisive && right === !decisive ? !decisive : undecided([left, right]);
    };
  }
  return (frame) => {
    let values: Value[] | undefined;
    for (const term of terms) {
      const value = term(frame);
      if (value === decisive) return decisive;
      if (value !== !decisive) (values ??= []).push(value);
    }
    return values === undefined ? !decisive : undecided(values);
  };
}

function undecided(values: readonly Value[]): Value {
  let error: Value | undefined;
  let unknown: UnknownValue | undefined;
  for (const value of values) {
    if (typeof value === 'boolean') continue;
    if (value instanceof UnknownValue) unknown = unknown === undefined ? value : unknown.merge(value);
    else error ??= value instanceof Failure ? value : noSuchOverload();
  }
  return unknown ?? (error as Value);
}

/** `==` and `!=`. Anything not certainly equal is `!=`. */
export function equality(
  left: Evaluate,
  right: Evaluate,
  { isNegated, cost }: { readonly isNegated: boolean; readonly cost: CallCost },
): Evaluate {
  const costOf = cost as (args: readonly Value[], result: Value) => number;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a === 'string' && typeof b === 'string' && a.length <= 10) {
      frame.charge(a === '' || b === '' ? 0 : 1);
      return (a === b) !== isNegated;
    }
    if (typeof a === 'number' && typeof b === 'number') {
      frame.charge(1);
      return (a === b) !== isNegated;
    }
    const failure = a instanceof Failure ? a : b instanceof Failure ? b : undefined;
    const answer = failure ?? equal(a, b);
    frame.charge(costOf([a, b], answer));
    if (failure !== undefined) return failure;
    return isNegated ? answer !== true : answer;
  };
}

/** A fast path for comparing numbers; other values go to the general implementation. */
export function comparison(
  name: string,
  [left, right]: readonly [Evaluate, Evaluate],
  general: (a: Value, b: Value) => Value,
): Evaluate {
  const holds = numberComparisons[name] as (a: number, b: number) => boolean;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    frame.charge(1);
    if (typeof a === 'number' && typeof b === 'number') return holds(a, b);
    if (a instanceof Failure) return a;
    return b instanceof Failure ? b : general(a, b);
  };
}

export const numberComparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '_<_': (a, b) => a < b,
  '_<=_': (a, b) => a <= b,
  '_>_': (a, b) => a > b,
  '_>=_': (a, b) => a >= b,
};

/** `value in [constants]`, which costs nothing; undefined when the constants are not all simple values. */
export function membership(value: Evaluate, list: List): Evaluate | undefined {
  const items = listItems(list);
  if (!items.every((item) => isSimple(item))) return undefined;
  if (items.every((item) => typeof item === 'string')) {
    const texts = new Set<unknown>(items);
    return (frame) => {
      const wanted = value(frame);
      if (typeof wanted === 'string') return texts.has(wanted);
      if (wanted instanceof Failure) return wanted;
      requireHashable(wanted);
      return false;
    };
  }
  const keys = new Set(items.flatMap(keysOf));
  return (frame) => {
    const wanted = value(frame);
    if (wanted instanceof Failure) return wanted;
    requireHashable(wanted);
    return keys.has(keyOf(wanted));
  };
}

function isSimple(value: Value): boolean {
  return typeof value !== 'object' || value instanceof Double || value instanceof Uint;
}

function keyOf(value: Value): string {
  if (value instanceof Double) return `double ${value.value}`;
  if (value instanceof Uint) return `uint ${value.value}`;
  return typeof value === 'object' ? '' : `${typeof value === 'bigint' ? 'number' : typeof value} ${String(value)}`;
}

/** A number matches every number type that is equal to it. */
function keysOf(value: Value): string[] {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return [keyOf(value), `double ${Number(value)}`, ...(value < 0 ? [] : [`uint ${value}`])];
  }
  if (value instanceof Uint)
    return [
      keyOf(value),
      `double ${Number(value.value)}`,
      ...(value.value < 2n ** 63n ? [`number ${value.value}`] : []),
    ];
  if (!(value instanceof Double) || !Number.isInteger(value.value)) return [keyOf(value)];
  const whole = BigInt(value.value);
  return [keyOf(value), `number ${whole}`, ...(whole < 0n ? [] : [`uint ${whole}`])];
}

/** `optional.or(other)` and `optional.orValue(value)`: the right side is evaluated only when needed. */
export function optionalOr(left: Evaluate, right: Evaluate, isUnwrapped: boolean): Evaluate {
  return (frame) => {
    const value = left(frame);
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return right(frame);
    return isUnwrapped ? value.value : value;
  };
}
