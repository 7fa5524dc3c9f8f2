import {
  binary,
  declareFunction,
  type FunctionDeclaration,
  overload,
  type Overload,
  unary,
} from '../../check/declarations.ts';
import { Operator } from '../../syntax/index.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  type Type,
  typeParameter,
  UINT,
} from '../../type-terms/index.ts';
import {
  compare,
  contains,
  Failure,
  isComparable,
  isList,
  isMap,
  MapBase,
  mapFind,
  noSuchOverload,
  type Value,
} from '../../values/index.ts';

const A = typeParameter('A');
const B = typeParameter('B');

/**
 * Boolean operators, equality, order, `in` and `[]`. Operators that the planner evaluates itself have no
 * implementation.
 */
export function logic(): readonly FunctionDeclaration[] {
  return [
    declareFunction(Operator.conditional, [overload('conditional', [BOOL, A, A], A)]),
    declareFunction(Operator.and, [overload('logical_and', [BOOL, BOOL], BOOL)]),
    declareFunction(Operator.or, [overload('logical_or', [BOOL, BOOL], BOOL)]),
    declareFunction(Operator.not, [overload('logical_not', [BOOL], BOOL)], {
      singleton: { implementation: unary(not), accepts: undefined },
    }),
    declareFunction(Operator.notStrictlyFalse, [
      overload('not_strictly_false', [BOOL], BOOL, notStrictlyFalse, { isNonStrict: true }),
    ]),
    declareFunction(Operator.equals, [overload('equals', [A, A], BOOL)]),
    declareFunction(Operator.notEquals, [overload('not_equals', [A, A], BOOL)]),
    comparison(Operator.less, 'less', (order) => order < 0),
    comparison(Operator.lessEquals, 'less_equals', (order) => order <= 0),
    comparison(Operator.greater, 'greater', (order) => order > 0),
    comparison(Operator.greaterEquals, 'greater_equals', (order) => order >= 0),
    declareFunction(Operator.index, [
      overload('index_list', [listOf(A), INT], A),
      overload('index_map', [mapOf(A, B), A], B),
    ]),
    declareFunction(
      Operator.in,
      [overload('in_list', [A, listOf(A)], BOOL), overload('in_map', [A, mapOf(A, B)], BOOL)],
      { singleton: { implementation: binary(isIn), accepts: undefined } },
    ),
  ];
}

/** The number types, by their names in overload ids. */
const NUMBERS: readonly (readonly [name: string, type: Type])[] = [
  ['int64', INT],
  ['uint64', UINT],
  ['double', DOUBLE],
];
/** For each number type, the order in which its cross-type comparison overloads are declared. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  int64: ['int64', 'double', 'uint64'],
  uint64: ['uint64', 'double', 'int64'],
  double: ['double', 'int64', 'uint64'],
};

function comparison(name: string, verb: string, holds: (order: number) => boolean): FunctionDeclaration {
  const types = new Map(NUMBERS);
  const numbers = NUMBERS.flatMap(([left, type]) =>
    (OTHERS[left] ?? []).map((right): Overload => {
      const id = left === right ? `${verb}_${left}` : `${verb}_${left}_${right}`;
      return overload(id, [type, types.get(right) as Type], BOOL);
    }),
  );
  const same = (id: string, type: Type): Overload => overload(`${verb}_${id}`, [type, type], BOOL);
  const overloads = [
    same('bool', BOOL),
    ...numbers,
    same('string', STRING),
    same('bytes', BYTES),
    same('timestamp', TIMESTAMP),
    same('duration', DURATION),
  ];
  const implementation = binary((left, right) => {
    const order = compare(left, right);
    return order instanceof Failure ? order : holds(order);
  });
  return declareFunction(name, overloads, { singleton: { implementation, accepts: isComparable } });
}

/** The signatures that compare different number types; they can be disabled. */
export function crossTypeComparisons(): ReadonlySet<string> {
  const verbs = ['less', 'less_equals', 'greater', 'greater_equals'];
  const names = NUMBERS.map(([name]) => name);
  const pairs = names.flatMap((left) => names.filter((right) => right !== left).map((right) => `${left}_${right}`));
  return new Set(verbs.flatMap((verb) => pairs.map((pair) => `${verb}_${pair}`)));
}

function not(value: Value): Value {
  return typeof value === 'boolean' ? !value : noSuchOverload();
}

function notStrictlyFalse(value: Value): Value {
  return typeof value === 'boolean' ? value : true;
}

export function isIn(item: Value, container: Value): Value {
  if (isList(container)) return contains(container, item);
  if (!isMap(container)) return container instanceof Failure ? container : noSuchOverload();
  const found = container instanceof MapBase ? container.has(item) : mapFind(container, item);
  if (typeof found === 'boolean') return found;
  return found instanceof Failure ? found : found !== undefined;
}
