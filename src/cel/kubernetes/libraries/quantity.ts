import { parseQuantity, type Quantity, quantityOf, ValueError } from '../../../api/values/index.ts';
import { binary, declareFunction, type Implementation, member, overload, unary } from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { BOOL, DOUBLE, INT, objectType, STRING, type Type } from '../../type-terms/index.ts';
import {
  CelError,
  checkedInt,
  Double,
  MIN_INT,
  noSuchOverload,
  Opaque,
  unconvertible,
  type Value,
} from '../../values/index.ts';

export const QUANTITY_TYPE = objectType('kubernetes.Quantity');

/** A quantity in an expression. */
export class QuantityValue extends Opaque {
  readonly quantity: Quantity;
  /** The result of a sum or difference. Kubernetes cannot compare with these on the right of `==`. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, isComputed = false) {
    super();
    this.quantity = quantity;
    this.isComputed = isComputed;
  }

  get goName(): string {
    return this.isComputed ? '*cel.Quantity' : 'cel.Quantity';
  }

  override get type(): Type {
    return QUANTITY_TYPE;
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.isComputed) return noSuchOverload();
    return this.quantity.equals(other.quantity);
  }

  get native(): Value {
    return unconvertible('*resource.Quantity', this.toString());
  }

  override toString(): string {
    return this.quantity.toString();
  }
}

/** `quantity`, `isQuantity`, and arithmetic and comparison of quantities. */
export function quantityLibrary(): Library {
  const Q = QUANTITY_TYPE;
  return {
    functions: [
      declareFunction('quantity', [overload('string_to_quantity', [STRING], Q, unary(toQuantity))]),
      declareFunction('isQuantity', [
        overload(
          'is_quantity_string',
          [STRING],
          BOOL,
          unary((text) => toQuantity(text) instanceof QuantityValue),
        ),
      ]),
      declareFunction('sign', [
        overload(
          'quantity_sign',
          [Q],
          INT,
          on((quantity) => quantity.sign),
        ),
      ]),
      declareFunction('isGreaterThan', [
        member(
          'quantity_is_greater_than',
          [Q, Q],
          BOOL,
          both((a, b) => a.compare(b) > 0),
        ),
      ]),
      declareFunction('isLessThan', [
        member(
          'quantity_is_less_than',
          [Q, Q],
          BOOL,
          both((a, b) => a.compare(b) < 0),
        ),
      ]),
      declareFunction('compareTo', [
        member(
          'quantity_compare_to',
          [Q, Q],
          INT,
          both((a, b) => Math.sign(a.compare(b))),
        ),
      ]),
      declareFunction('asApproximateFloat', [
        member(
          'quantity_get_float',
          [Q],
          DOUBLE,
          on((quantity) => new Double(quantity.toNumber())),
        ),
      ]),
      declareFunction('asInteger', [member('quantity_get_int', [Q], INT, on(toInteger))]),
      declareFunction('isInteger', [
        member(
          'quantity_is_integer',
          [Q],
          BOOL,
          on((quantity) => quantity.asInt64() !== undefined),
        ),
      ]),
      declareFunction('add', [
        member(
          'quantity_add',
          [Q, Q],
          Q,
          both((a, b) => new QuantityValue(a.add(b), true)),
        ),
        member(
          'quantity_add_int',
          [Q, INT],
          Q,
          withInt((a, b) => a.add(b)),
        ),
      ]),
      declareFunction('sub', [
        member(
          'quantity_sub',
          [Q, Q],
          Q,
          both((a, b) => new QuantityValue(subtract(a, b), true)),
        ),
        member('quantity_sub_int', [Q, INT], Q, withInt(subtract)),
      ]),
    ],
  };
}

function toQuantity(text: Value): Value {
  const quantity = parseQuantity(text as string);
  return quantity instanceof ValueError ? new CelError(quantity.message) : new QuantityValue(quantity);
}

function toInteger(quantity: Quantity): Value {
  const value = quantity.asInt64();
  return value === undefined ? new CelError('cannot convert value to integer') : checkedInt(value);
}

function on(apply: (quantity: Quantity) => Value): Implementation {
  return unary((value) => (value instanceof QuantityValue ? apply(value.quantity) : noSuchOverload()));
}

function both(apply: (left: Quantity, right: Quantity) => Value): Implementation {
  return binary((left, right) => {
    if (!(left instanceof QuantityValue) || !(right instanceof QuantityValue)) return noSuchOverload();
    return apply(left.quantity, right.quantity);
  });
}

/** Integers are subtracted on 64 bits, where the negative of the smallest one is itself. */
function subtract(left: Quantity, right: Quantity): Quantity {
  const isWrapped = right.asInt64() === MIN_INT && (isPlainZero(left) || (left.asInt64() ?? -1n) > 0n);
  return isWrapped ? left.add(right) : left.sub(right);
}

/** Whether it is a zero on 64 bits: such a one takes on any integer that is added. */
function isPlainZero(quantity: Quantity): boolean {
  return quantity.sign === 0 && quantity.add(quantityOf(1)).asInt64() !== undefined;
}

function withInt(apply: (left: Quantity, right: Quantity) => Quantity): Implementation {
  return binary((left, right) => {
    if (!(left instanceof QuantityValue) || (typeof right !== 'number' && typeof right !== 'bigint'))
      return noSuchOverload();
    return new QuantityValue(apply(left.quantity, quantityOf(right, 'DecimalExponent')), true);
  });
}
