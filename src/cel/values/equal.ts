import { Type } from '../type-terms/index.ts';
import { compareNumbers, isNumeric } from './compare.ts';
import { Duration } from './duration.ts';
import { CelError, Failure } from './failure.ts';
import { isList, type List, listAt, listSize, ListValue } from './list.ts';
import { isMap, MapBase, mapFind, mapKeys, type MapLike, mapSize } from './map.ts';
import { Opaque } from './opaque.ts';
import { Optional } from './optional.ts';
import { Timestamp } from './timestamp.ts';
import type { Value } from './value.ts';

/** A list or map with its own equality, such as a list that is a set. */
export interface CustomEquality {
  equalTo(other: Value): boolean | Failure;
}

/**
 * `left == right`. Values of different types are not equal, except that numbers compare by value; only some of the
 * libraries' types return an error.
 */
export function equal(left: Value, right: Value): boolean | Failure {
  switch (typeof left) {
    case 'string':
    case 'boolean':
      return left === right;
    case 'number':
    case 'bigint':
      return left === right || (isNumeric(right) && compareNumbers(left, right) === 0);
    default:
      return left === null || right === null ? left === right : equalObjects(left, right);
  }
}

function equalObjects(left: Exclude<Value, null>, right: Exclude<Value, null>): boolean | Failure {
  if (isNumeric(left)) return isNumeric(right) && compareNumbers(left, right) === 0;
  if (hasOwnEquality(left)) return left.equalTo(right);
  if (isList(left)) return isList(right) && equalLists(left, right);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (left instanceof Opaque) return left.equals(right);
  if (left instanceof Type) return right instanceof Type && left.name === right.name;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Optional) return right instanceof Optional && equalOptionals(left, right);
  if (isMap(left)) return isMap(right) && equalMaps(left, right);
  return left instanceof Failure ? left : false;
}

function hasOwnEquality(value: Value): value is (ListValue | MapBase) & CustomEquality {
  return (value instanceof ListValue || value instanceof MapBase) && 'equalTo' in value;
}

/** Errors of elements are ignored: only a difference counts. */
export function equalLists(left: List, right: List): boolean {
  const size = listSize(left);
  if (size !== listSize(right)) return false;
  for (let index = 0; index < size; index++) {
    if (equal(listAt(left, index), listAt(right, index)) === false) return false;
  }
  return true;
}

function equalMaps(left: MapLike, right: MapLike): boolean {
  if (mapSize(left) !== mapSize(right)) return false;
  for (const key of mapKeys(left)) {
    const other = mapFind(right, key);
    if (other === undefined || equal(mapFind(left, key) as Value, other) === false) return false;
  }
  return true;
}

function equalOptionals(left: Optional, right: Optional): boolean | Failure {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equal(left.value, right.value);
}

/** Whether a list has an element equal to `value`. */
export function contains(list: List, value: Value): boolean | Failure {
  if (list instanceof ListValue && 'includes' in list) return (list as ListValue & CustomSearch).includes(value);
  const size = listSize(list);
  for (let index = 0; index < size; index++) {
    if (equal(value, listAt(list, index)) === true) return true;
  }
  return false;
}

/** A list that searches itself. */
export interface CustomSearch {
  includes(value: Value): boolean | Failure;
}

/** For the libraries: true only if certainly equal. */
export function isEqual(left: Value, right: Value): boolean {
  const answer = equal(left, right);
  return !(answer instanceof CelError) && answer === true;
}

/** Whether two sets of fields are the same. */
export function deepEqualValues(left: ReadonlyMap<string, Value>, right: ReadonlyMap<string, Value>): boolean {
  if (left.size !== right.size) return false;
  for (const [name, value] of left) {
    const other = right.get(name);
    if (other === undefined || equal(value, other) !== true) return false;
  }
  return true;
}
