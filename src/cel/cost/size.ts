import { codePointCount } from '../../base/index.ts';
import type { Expr } from '../syntax/index.ts';
import { isOptionalType, type Type } from '../type-terms/index.ts';

/** The largest 64-bit number, at which sums and products saturate. */
export const UNLIMITED = 2n ** 64n - 1n;

/** The minimum and maximum size of a value, or cost of an expression. */
export interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}

export const UNKNOWN_SIZE: Bounds = { min: 0n, max: UNLIMITED };
export const ZERO: Bounds = { min: 0n, max: 0n };
export const ONE: Bounds = { min: 1n, max: 1n };

export function exactly(value: bigint | number): Bounds {
  return { min: BigInt(value), max: BigInt(value) };
}

function capped(value: bigint): bigint {
  return value > UNLIMITED ? UNLIMITED : value;
}

export function plus(left: Bounds, right: Bounds): Bounds {
  return { min: capped(left.min + right.min), max: capped(left.max + right.max) };
}

export function times(left: Bounds, right: Bounds): Bounds {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) };
}

/** Multiplies in floating point and rounds up, as Kubernetes does. */
export function scaled(bounds: Bounds, factor: number): Bounds {
  return { min: scale(bounds.min, factor), max: scale(bounds.max, factor) };
}

function scale(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? UNLIMITED : BigInt(product);
}

/** The bounds that hold for both. */
export function union(left: Bounds, right: Bounds): Bounds {
  return { min: left.min < right.min ? left.min : right.min, max: left.max > right.max ? left.max : right.max };
}

/** The size that is evident from the expression itself. */
export function exprSize(expr: Expr): Bounds | undefined {
  switch (expr.kind) {
    case 'literal':
      if (expr.literal.kind === 'string') return exactly(codePointCount(expr.literal.value));
      return expr.literal.kind === 'bytes' ? exactly(expr.literal.value.length) : ONE;
    case 'list':
      return exactly(expr.elements.length);
    case 'map':
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

/** The size of values of fixed-size types. */
export function typeSize(type: Type): Bounds | undefined {
  return isScalar(type) ? ONE : undefined;
}

function isScalar(type: Type): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true;
    default:
      return isOptionalType(type) && type.parameters.length > 0 && isScalar(type.element);
  }
}
