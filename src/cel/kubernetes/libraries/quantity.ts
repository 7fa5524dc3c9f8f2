import { parseQuantity, type Quantity, quantityOf, ValueError } from '../../../api/values/index.ts';
import { declareFunction, member, overload, type Overload } from '../../check/declarations.ts';
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
  override readonly type = QUANTITY_TYPE;
  readonly quantity: Quantity;
  /** The result of a sum or difference, which Kubernetes cannot compare on the right of `==`. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, isComputed = false) {
    super();
    this.quantity = quantity;
    this.isComputed = isComputed;
  }

  get goName(): string {
    return this.isComputed ? '*cel.Quantity' : 'cel.Quantity';
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
      declareFunction('quantity', [overload('string_to_quantity', [STRING], Q, toQuantity)]),
      declareFunction('isQuantity', [
        overload('is_quantity_string', [STRING], BOOL, (text) => toQuantity(text) instanceof QuantityValue),
      ]),
      declareFunction('sign', [overload('quantity_sign', [Q], INT, (value) => withOne(value, ({ sign }) => sign))]),
      declareFunction('isGreaterThan', [ofTwo('quantity_is_greater_than', BOOL, (a, b) => a.compare(b) > 0)]),
      declareFunction('isLessThan', [ofTwo('quantity_is_less_than', BOOL, (a, b) => a.compare(b) < 0)]),
      declareFunction('compareTo', [ofTwo('quantity_compare_to', INT, (a, b) => Math.sign(a.compare(b)))]),
      declareFunction('asApproximateFloat', [ofOne('quantity_get_float', DOUBLE, (a) => new Double(a.toNumber()))]),
      declareFunction('asInteger', [ofOne('quantity_get_int', INT, toInteger)]),
      declareFunction('isInteger', [ofOne('quantity_is_integer', BOOL, (a) => a.asInt64() !== undefined)]),
      declareFunction('add', [
        ofTwo('quantity_add', Q, (a, b) => new QuantityValue(a.add(b), true)),
        withInt('quantity_add_int', (a, b) => a.add(b)),
      ]),
      declareFunction('sub', [
        ofTwo('quantity_sub', Q, (a, b) => new QuantityValue(subtract(a, b), true)),
        withInt('quantity_sub_int', subtract),
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

function withOne(value: Value, apply: (quantity: Quantity) => Value): Value {
  return value instanceof QuantityValue ? apply(value.quantity) : noSuchOverload();
}

function ofOne(id: string, result: Type, apply: (quantity: Quantity) => Value): Overload {
  return member(id, [QUANTITY_TYPE], result, (value) => withOne(value, apply));
}

function ofTwo(id: string, result: Type, apply: (left: Quantity, right: Quantity) => Value): Overload {
  return member(id, [QUANTITY_TYPE, QUANTITY_TYPE], result, (left, right) => {
    if (!(left instanceof QuantityValue) || !(right instanceof QuantityValue)) return noSuchOverload();
    return apply(left.quantity, right.quantity);
  });
}

/** Integers are subtracted on 64 bits, where the negation of the smallest one is itself. */
function subtract(left: Quantity, right: Quantity): Quantity {
  const isWrapped = right.asInt64() === MIN_INT && (isPlainZero(left) || (left.asInt64() ?? -1n) > 0n);
  return isWrapped ? left.add(right) : left.sub(right);
}

/** Whether it is a 64-bit zero, which takes on the format of any integer added to it. */
function isPlainZero(quantity: Quantity): boolean {
  return quantity.sign === 0 && quantity.add(quantityOf(1)).asInt64() !== undefined;
}

function withInt(id: string, apply: (left: Quantity, right: Quantity) => Quantity): Overload {
  return member(id, [QUANTITY_TYPE, INT], QUANTITY_TYPE, (left, right) => {
    if (!(left instanceof QuantityValue) || (typeof right !== 'number' && typeof right !== 'bigint'))
      return noSuchOverload();
    return new QuantityValue(apply(left.quantity, quantityOf(right, 'DecimalExponent')), true);
  });
}
