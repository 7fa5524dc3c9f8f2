import { binary, declareFunction, member, overload, unary } from '../check/declarations.ts';
import { copyExpr, type Expr, expandMap, type Macro, type MacroCall, MacroError, NodeMaker } from '../syntax/index.ts';
import { DYN, INT, listOf, COMPARABLE_TYPES, typeParameter } from '../type-terms/index.ts';
import {
  CelError,
  compare,
  CostLimitExceeded,
  isComparable,
  isEqual,
  isList,
  type List,
  listAt,
  listItems,
  listSize,
  typeOf,
  type Value,
} from '../values/index.ts';
import type { Library } from './library.ts';

const T = typeParameter('T');
const list = listOf(T);
/** The cost limit of any evaluation is lower than the cost of a longer range. */
const MAX_RANGE_LENGTH = 10_000_000;

/** `slice`, `flatten`, `sort`, `sortBy`, `lists.range`, `reverse` and `distinct`. */
export function listsLibrary(): Library {
  return {
    macros: [sortBy()],
    functions: [
      declareFunction('slice', [
        member('list_slice', [list, INT, INT], list, (of, start, end) =>
          slice(of as List, start as number, end as number),
        ),
      ]),
      declareFunction(
        'flatten',
        [
          member('list_flatten', [listOf(list)], list, (of) => (isList(of) ? flatten(of, 1) : notFlattened(of, ''))),
          member('list_flatten_int', [listOf(DYN), INT], listOf(DYN), flattened),
        ],
        { isUnguarded: true },
      ),
      declareFunction(
        'sort',
        COMPARABLE_TYPES.map((type) => member(`list_${type.name}_sort`, [listOf(type)], listOf(type))),
        {
          singleton: { implementation: unary((of) => sorted(of as List, of as List)), accepts: isList },
        },
      ),
      declareFunction(
        '@sortByAssociatedKeys',
        COMPARABLE_TYPES.map((type) => member(`list_${type.name}_sortByAssociatedKeys`, [list, listOf(type)], list)),
        { singleton: { implementation: binary((of, keys) => sorted(of as List, keys as List)), accepts: isList } },
      ),
      declareFunction('lists.range', [overload('lists_range', [INT], listOf(INT), range)]),
      declareFunction('reverse', [member('list_reverse', [list], list, (of) => listItems(of as List).reverse())]),
      declareFunction('distinct', [member('list_distinct', [list], list, (of) => distinct(of as List))]),
    ],
  };
}

function slice(of: List, start: number | bigint, end: number | bigint): Value {
  const fail = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0 || end < 0) return fail('negative indexes not supported');
  if (start > end) return fail('start index must be less than or equal to end index');
  if (listSize(of) < end) return fail(`list is length ${listSize(of)}`);
  return listItems(of).slice(Number(start), Number(end));
}

function flattened(of: Value, depth: Value): Value {
  if (!isList(of) || (typeof depth !== 'number' && typeof depth !== 'bigint'))
    return notFlattened(of, typeOf(depth).name);
  return depth < 0 ? new CelError('level must be non-negative') : flatten(of, Number(depth));
}

function notFlattened(of: Value, depth: string): CelError {
  return new CelError(`no such overload: ${typeOf(of).toString()}.flatten(${depth})`);
}

function flatten(of: List, depth: number): Value[] {
  return listItems(of).flatMap((item) => (isList(item) && depth > 0 ? flatten(item, depth - 1) : [item]));
}

function range(count: Value): Value {
  const size = Number(count);
  if (size > MAX_RANGE_LENGTH) throw new CostLimitExceeded();
  return Array.from({ length: Math.max(0, size) }, (_, index) => index);
}

function distinct(of: List): Value {
  const found: Value[] = [];
  for (const item of listItems(of)) if (!found.some((other) => isEqual(item, other))) found.push(item);
  return found;
}

/** The list in the order of its keys; a stable sort. */
function sorted(of: List, keys: List): Value {
  const [size, keyCount] = [listSize(of), listSize(keys)];
  if (size !== keyCount) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${size} and ${keyCount} elements respectively`,
    );
  }
  if (size === 0) return of;
  const first = listAt(keys, 0);
  if (!isComparable(first)) return new CelError('list elements must be comparable');
  const pairs = listItems(keys).map((key, index) => ({ key, index }));
  if (size > 1 && pairs.some(({ key }) => typeOf(key).name !== typeOf(first).name)) {
    return new CelError('list elements must have the same type');
  }
  pairs.sort((a, b) => orderOf(a.key, b.key));
  return pairs.map(({ index }) => listAt(of, index));
}

function orderOf(left: Value, right: Value): number {
  const order = compare(left, right);
  return typeof order === 'number' ? order : 0;
}

const SORTABLE = new Set<Expr['kind']>(['list', 'select', 'ident', 'comprehension', 'call']);

/** `list.sortBy(variable, key)`: binds the list to a name, so that it is evaluated once. */
function sortBy(): Macro {
  const expand = ({ offset, target, args }: MacroCall): Expr => {
    const input = target as Expr;
    if (!SORTABLE.has(input.kind)) {
      throw new MacroError(
        input,
        'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
      );
    }
    const make = new NodeMaker(offset);
    const name = '@__sortBy_input__';
    const bound = make.ident(name);
    const keys = expandMap({ offset, target: copyExpr(bound, offset), args });
    return make.bind(name, input, make.memberCall('@sortByAssociatedKeys', copyExpr(bound, offset), keys));
  };
  return { name: 'sortBy', isMember: true, argumentCount: 2, expand };
}
