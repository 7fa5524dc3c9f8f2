import { TYPE, type Type } from '../type-terms/index.ts';
import {
  CelError,
  Double,
  doubleToInt,
  Failure,
  goText,
  isList,
  isMap,
  type List,
  listAt,
  listSize,
  ListValue,
  mapFind,
  Opaque,
  typeOf,
  Uint,
  type Value,
} from '../values/index.ts';

/** A value with fields that is not a map, such as `Object{}`. */
export abstract class FieldedValue extends Opaque {
  /** The field's value, or the error that it does not exist. */
  abstract get(key: Value): Value;
  abstract isSet(key: Value): boolean | CelError;

  /** Whether its fields exist only for selections whose operand has this static type. */
  get isTypedOnly(): boolean {
    return false;
  }

  /** `type()` of such a value is the type of types in Kubernetes. */
  override get typeValue(): Type {
    return TYPE;
  }
}

/** `target[key]` or `target.key`; undefined when missing. `isTyped`: the checker knew the target's type. */
export function qualify(target: Value, key: Value, isTyped = false): Value | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  if (target instanceof Failure) return target;
  if (isMap(target)) return mapFind(target, key);
  if (isList(target)) return indexList(target, key);
  if (!(target instanceof FieldedValue) || (target.isTypedOnly && !isTyped)) return undefined;
  return target.get(key);
}

/** Same as `qualify`, for `has()` and optional selection: unset fields count as missing. */
export function qualifyIfSet(target: Value, key: Value, isTyped = false): Value | undefined {
  if (!(target instanceof FieldedValue)) return qualify(target, key);
  if (target.isTypedOnly && !isTyped) return undefined;
  const isSet = target.isSet(key);
  if (isSet instanceof CelError) return isSet;
  return isSet ? target.get(key) : undefined;
}

function indexList(list: List, key: Value): Value | undefined {
  const index = positionOf(key);
  if (index instanceof CelError) return index;
  if (index < 0 || index >= listSize(list)) return undefined;
  const isWrong = typeof key === 'object' && list instanceof ListValue && list.isIndexedByIntOnly;
  return isWrong ? new CelError(`unsupported index: ${goText(key)}`) : listAt(list, index);
}

/** An index into a list; any whole number is accepted. */
export function positionOf(key: Value): number | CelError {
  if (typeof key === 'number') return key;
  if (typeof key === 'bigint') return key < 0n ? -1 : Number.MAX_SAFE_INTEGER;
  if (key instanceof Double) {
    const whole = doubleToInt(key.value);
    if (whole instanceof CelError || Number(whole) !== key.value) return unsupportedIndex(key);
    return Number(whole);
  }
  if (key instanceof Uint) return key.value > 2n ** 63n - 1n ? unsupportedIndex(key) : Number(key.value);
  return new CelError(`unsupported index type '${typeOf(key).toString()}' in list`);
}

function unsupportedIndex(key: Value): CelError {
  return new CelError(`unsupported index value ${goText(key)} in list`);
}

/** The error for a missing key or index. */
export function missing(target: Value, key: Value): CelError {
  return new CelError(isList(target) ? `index out of bounds: ${goText(key)}` : `no such key: ${goText(key)}`);
}
