import { declareFunction, member, overload } from '../check/declarations.ts';
import { copyExpr, type Expr, type Macro, type MacroCall, MacroError, NodeMaker, Operator } from '../syntax/index.ts';
import {
  BOOL,
  Boxed,
  DYN,
  INT,
  listOf,
  mapOf,
  OPTIONAL,
  optionalOf,
  STRING,
  typeParameter,
} from '../type-terms/index.ts';
import {
  CelError,
  Double,
  Duration,
  goText,
  isList,
  isMap,
  type List,
  listAt,
  listItems,
  listSize,
  mapSize,
  NONE,
  noSuchOverload,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values/index.ts';
import type { Library } from './library.ts';

const K = typeParameter('K');
const V = typeParameter('V');
const optional = optionalOf(V);
const list = listOf(V);
const map = mapOf(K, V);

/** Optional values: `optional.of`, `orValue`, `optMap`, `first` and the functions behind `.?` and `[?]`. */
export function optionalsLibrary(): Library {
  return {
    types: [OPTIONAL],
    macros: [optMacro('optMap', true), optMacro('optFlatMap', false)],
    functions: [
      declareFunction('optional.of', [overload('optional_of', [V], optional, (value) => new Optional(value))]),
      declareFunction('optional.ofNonZeroValue', [
        overload('optional_ofNonZeroValue', [V], optional, (value) => (isZero(value) ? NONE : new Optional(value))),
      ]),
      declareFunction('optional.none', [overload('optional_none', [], optional, () => NONE)]),
      declareFunction('value', [member('optional_value', [optional], V, valueOf)]),
      declareFunction('hasValue', [member('optional_hasValue', [optional], BOOL, hasValue)]),
      declareFunction('or', [member('optional_or_optional', [optional, optional], optional)]),
      declareFunction('orValue', [member('optional_orValue_value', [optional, V], V)]),
      declareFunction(Operator.optionalSelect, [overload('select_optional_field', [DYN, STRING], optional)]),
      declareFunction(Operator.optionalIndex, [
        overload('list_optindex_optional_int', [list, INT], optional),
        overload('optional_list_optindex_optional_int', [optionalOf(list), INT], optional),
        overload('map_optindex_optional_value', [map, K], optional),
        overload('optional_map_optindex_optional_value', [optionalOf(map), K], optional),
      ]),
      declareFunction(Operator.index, [
        overload('optional_list_index_int', [optionalOf(list), INT], optional),
        overload('optional_map_index_value', [optionalOf(map), K], optional),
      ]),
      declareFunction('last', [member('list_last', [list], optional, (value) => edge(value, (size) => size - 1))]),
      declareFunction('first', [member('list_first', [list], optional, (value) => edge(value, () => 0))]),
      declareFunction('optional.unwrap', [overload('optional_unwrap', [listOf(optional)], list, unwrap)]),
      declareFunction('unwrapOpt', [member('optional_unwrapOpt', [listOf(optional)], list, unwrap)]),
    ],
  };
}

function valueOf(value: Value): Value {
  if (!(value instanceof Optional)) return noSuchOverload();
  return value.value ?? (value.value === null ? null : new CelError('optional.none() dereference'));
}

function hasValue(value: Value): Value {
  return value instanceof Optional ? value.value !== undefined : noSuchOverload();
}

function edge(value: Value, position: (size: number) => number): Value {
  const size = listSize(value as List);
  return size === 0 ? NONE : new Optional(listAt(value as List, position(size)));
}

function unwrap(value: Value): Value {
  if (!isList(value)) return noSuchOverload();
  const values: Value[] = [];
  for (const item of listItems(value)) {
    if (!(item instanceof Optional)) return new CelError(`value ${goText(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return values;
}

/** `target.optMap(variable, transform)`: the transformed value if there is one, wrapped into an optional or not. */
function optMacro(name: string, isWrapped: boolean): Macro {
  const expand = ({ offset, target, args }: MacroCall): Expr => {
    const [variable, transform] = args as readonly [Expr, Expr];
    if (variable.kind !== 'ident')
      throw new MacroError(variable, `${name}() variable name must be a simple identifier`);
    const make = new NodeMaker(offset);
    const value = make.memberCall('value', copyExpr(target as Expr, offset));
    const bound = make.bind(variable.name, value, transform);
    return make.call(
      Operator.conditional,
      make.memberCall('hasValue', target as Expr),
      isWrapped ? make.call('optional.of', bound) : bound,
      make.call('optional.none'),
    );
  };
  return { name, isMember: true, argumentCount: 2, expand };
}

/** A value that knows whether it is the zero value of its type. */
interface Zeroable {
  readonly isZero: boolean;
}

const ZERO_TIME_SECONDS = -62_135_596_800;

/** Whether it is the empty or zero value of its type; false for types without one. */
function isZero(value: Value): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object') return false;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.instant.seconds === ZERO_TIME_SECONDS && value.instant.nanos === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Boxed && 'isZero' in value) return (value as Boxed & Zeroable).isZero;
  if (isList(value)) return listSize(value) === 0;
  return isMap(value) && mapSize(value) === 0;
}
