import { declareFunction, overload } from '../check/declarations.ts';
import {
  ACCUMULATOR,
  allLoop,
  existsLoop,
  existsOneLoop,
  type Expr,
  listLoop,
  type Loop,
  type Macro,
  type MacroCall,
  MacroError,
  NodeMaker,
  Operator,
  refuseAccumulator,
} from '../syntax/index.ts';
import { mapOf, typeParameter } from '../type-terms/index.ts';
import { CelError, goText, mapFind, mapKeys, type MapLike, MapValue, type Value } from '../values/index.ts';
import type { Library } from './library.ts';

const K = typeParameter('K');
const V = typeParameter('V');
const map = mapOf(K, V);
/** Adds an entry; expressions cannot call it by name. */
const INSERT = 'cel.@mapInsert';

/** Loops with index and element, or key and value: `all`, `exists`, `existsOne`, `transformList`, `transformMap`, … */
export function twoVariablesLibrary(): Library {
  return {
    macros: [
      loopMacro('all', 3, (loop, [predicate]) => allLoop(loop, predicate as Expr)),
      loopMacro('exists', 3, (loop, [predicate]) => existsLoop(loop, predicate as Expr)),
      loopMacro('existsOne', 3, (loop, [predicate]) => existsOneLoop(loop, predicate as Expr)),
      loopMacro('exists_one', 3, (loop, [predicate]) => existsOneLoop(loop, predicate as Expr)),
      ...transforms('transformList', (loop, transform, filter) => listLoop(loop, transform, filter)),
      ...transforms('transformMap', (loop, transform, filter) =>
        mapLoop(loop, [loop.make.ident(loop.variable), transform], filter),
      ),
      ...transforms('transformMapEntry', (loop, transform, filter) => mapLoop(loop, [transform], filter)),
    ],
    functions: [
      declareFunction(INSERT, [
        overload('@mapInsert_map_key_value', [map, K, V], map, (into, key, value) =>
          insert(into as MapLike, key, value),
        ),
        overload('@mapInsert_map_map', [map, map], map, (into, from) => insertAll(into as MapLike, from as MapLike)),
      ]),
    ],
  };
}

function loopMacro(name: string, argumentCount: number, make: (loop: Loop, rest: readonly Expr[]) => Expr): Macro {
  return { name, isMember: true, argumentCount, expand: (call) => make(loopOf(call), call.args.slice(2)) };
}

/** The forms with and without a filter before the transformation. */
function transforms(
  name: string,
  make: (loop: Loop, transform: Expr, filter: Expr | undefined) => Expr,
): readonly Macro[] {
  return [
    loopMacro(name, 3, (loop, [transform]) => make(loop, transform as Expr, undefined)),
    loopMacro(name, 4, (loop, [filter, transform]) => make(loop, transform as Expr, filter)),
  ];
}

function mapLoop({ make, ...place }: Loop, inserted: readonly Expr[], filter: Expr | undefined): Expr {
  const added = make.call(INSERT, make.accumulator(), ...inserted);
  const step = filter === undefined ? added : make.call(Operator.conditional, filter, added, make.accumulator());
  return make.comprehension({
    ...place,
    accumulator: ACCUMULATOR,
    initial: make.map(),
    condition: make.bool(true),
    step,
    result: make.accumulator(),
  });
}

function loopOf({ offset, target, args }: MacroCall): Loop {
  const [first, second] = args as readonly [Expr, Expr];
  const [variable, variable2] = [nameOf(first), nameOf(second)];
  if (variable === variable2) throw new MacroError(second, `duplicate variable name: ${variable}`);
  refuseAccumulator(first, variable);
  refuseAccumulator(second, variable2);
  return { make: new NodeMaker(offset), range: target as Expr, variable, variable2 };
}

function nameOf(arg: Expr): string {
  if (arg.kind !== 'ident') throw new MacroError(arg, 'argument must be a simple name');
  return arg.name;
}

function insert(into: MapLike, key: Value, value: Value): Value {
  if (mapFind(into, key) !== undefined) return new CelError(`insert failed: key ${goText(key)} already exists`);
  const result =
    into instanceof MapValue
      ? into
      : MapValue.from([...mapKeys(into)].map((each) => [each, mapFind(into, each) as Value]));
  result.set(key, value);
  return result;
}

function insertAll(into: MapLike, from: MapLike): Value {
  let result: Value = into;
  for (const key of mapKeys(from)) {
    result = insert(result as MapLike, key, mapFind(from, key) as Value);
    if (result instanceof CelError) return result;
  }
  return result;
}
