import {
  binary,
  declareFunction,
  type FunctionDeclaration,
  type Implementation,
  member,
} from '../../check/declarations.ts';
import { add } from '../../library/standard/arithmetic.ts';
import type { Library } from '../../library/library.ts';
import {
  BOOL,
  COMPARABLE_TYPES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  type Type,
  typeParameter,
  UINT,
} from '../../type-terms/index.ts';
import {
  CelError,
  compare,
  Double,
  Duration,
  Failure,
  isComparable,
  isEqual,
  isList,
  listAt,
  listItems,
  listSize,
  noSuchOverload,
  Uint,
  type Value,
} from '../../values/index.ts';

const SUMMABLE: readonly (readonly [type: Type, zero: Value])[] = [
  [INT, 0],
  [UINT, new Uint(0n)],
  [DOUBLE, new Double(0)],
  [DURATION, new Duration(0n)],
];
const A = typeParameter('A');

/** `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf` of lists. */
export function kubernetesListsLibrary(): Library {
  return {
    functions: [
      declareFunction(
        'isSorted',
        COMPARABLE_TYPES.map((type) => member(`list_${type.kind}_is_sorted_bool`, [listOf(type)], BOOL, isSorted)),
      ),
      declareFunction(
        'sum',
        SUMMABLE.map(([type, zero]) =>
          member(`list_${type.kind}_sum_${type.kind}`, [listOf(type)], type, (list) => sum(list, zero)),
        ),
      ),
      extreme('max', -1),
      extreme('min', 1),
      declareFunction('indexOf', [
        member(
          'list_a_index_of_int',
          [listOf(A), A],
          INT,
          search((size) => [0, size, 1]),
        ),
      ]),
      declareFunction('lastIndexOf', [
        member(
          'list_a_last_index_of_int',
          [listOf(A), A],
          INT,
          search((size) => [size - 1, -1, -1]),
        ),
      ]),
    ],
  };
}

function isSorted(list: Value): Value {
  if (!isList(list)) return noSuchOverload();
  let previous: Value | undefined;
  for (const item of listItems(list)) {
    if (!isComparable(item)) return item instanceof Failure ? item : noSuchOverload();
    if (previous !== undefined && compare(previous, item) === 1) return false;
    previous = item;
  }
  return true;
}

function sum(list: Value, zero: Value): Value {
  if (!isList(list)) return noSuchOverload();
  let total = zero;
  for (const item of listItems(list)) {
    total = item instanceof Failure ? item : add(total, item);
    if (total instanceof Failure) return total;
  }
  return total;
}

/** The min or max element, as `keeps` says; the first of equal ones. */
function extreme(name: string, keeps: number): FunctionDeclaration {
  const find = (list: Value): Value => {
    if (!isList(list)) return noSuchOverload();
    let found: Value | undefined;
    for (const item of listItems(list)) {
      if (!isComparable(item)) return item instanceof Failure ? item : noSuchOverload();
      if (found === undefined || compare(found, item) === keeps) found = item;
    }
    return found ?? new CelError(`${name} called on empty list`);
  };
  return declareFunction(
    name,
    COMPARABLE_TYPES.map((type) => member(`list_${type.kind}_${name}_${type.kind}`, [listOf(type)], type, find)),
  );
}

function search(walk: (size: number) => readonly [start: number, end: number, step: number]): Implementation {
  return binary((list, wanted) => {
    if (!isList(list)) return noSuchOverload();
    const [start, end, step] = walk(listSize(list));
    for (let at = start; at !== end; at += step) if (isEqual(listAt(list, at), wanted)) return at;
    return -1;
  });
}
