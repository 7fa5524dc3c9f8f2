import type { Expr } from './expr.ts';
import { ACCUMULATOR, loopVariable, type Macro, type MacroCall, MacroError, NodeMaker } from './macro.ts';
import { Operator } from './operators.ts';

const NO_NAME = 'argument must be a simple name';
const NO_IDENTIFIER = 'argument is not an identifier';

/** What a quantifier or transformation needs to become a loop; shared by the forms with one and two variables. */
export interface Loop {
  readonly make: NodeMaker;
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string | undefined;
}

/** has, all, exists, exists_one, map and filter. */
export function standardMacros(): readonly Macro[] {
  return [
    { name: 'has', isMember: false, argumentCount: 1, expand: expandHas },
    quantifier('all', allLoop),
    quantifier('exists', existsLoop),
    quantifier('exists_one', existsOneLoop),
    { name: 'map', isMember: true, argumentCount: 2, expand: expandMap },
    { name: 'map', isMember: true, argumentCount: 3, expand: expandMap },
    { name: 'filter', isMember: true, argumentCount: 2, expand: expandFilter },
  ];
}

function expandHas({ offset, args }: MacroCall): Expr {
  const arg = args[0] as Expr;
  if (arg.kind !== 'select' || arg.isTest) throw new MacroError(arg, 'invalid argument to has() macro');
  return new NodeMaker(offset).test(arg.operand, arg.field);
}

function quantifier(name: string, loop: (loop: Loop, predicate: Expr) => Expr): Macro {
  const expand = (call: MacroCall): Expr => loop(loopOf(call, NO_NAME), call.args[1] as Expr);
  return { name, isMember: true, argumentCount: 2, expand };
}

export function allLoop({ make, ...place }: Loop, predicate: Expr): Expr {
  return make.comprehension({
    ...place,
    accumulator: ACCUMULATOR,
    initial: make.bool(true),
    condition: make.call(Operator.notStrictlyFalse, make.accumulator()),
    step: make.call(Operator.and, make.accumulator(), predicate),
    result: make.accumulator(),
    form: { kind: 'all', predicate },
  });
}

export function existsLoop({ make, ...place }: Loop, predicate: Expr): Expr {
  return make.comprehension({
    ...place,
    accumulator: ACCUMULATOR,
    initial: make.bool(false),
    condition: make.call(Operator.notStrictlyFalse, make.call(Operator.not, make.accumulator())),
    step: make.call(Operator.or, make.accumulator(), predicate),
    result: make.accumulator(),
    form: { kind: 'exists', predicate },
  });
}

export function existsOneLoop({ make, ...place }: Loop, predicate: Expr): Expr {
  return make.comprehension({
    ...place,
    accumulator: ACCUMULATOR,
    initial: make.int(0),
    condition: make.bool(true),
    step: make.call(
      Operator.conditional,
      predicate,
      make.call(Operator.add, make.accumulator(), make.int(1)),
      make.accumulator(),
    ),
    result: make.call(Operator.equals, make.accumulator(), make.int(1)),
    form: { kind: 'existsOne', predicate },
  });
}

/** Collects what `element` yields into a list, for the elements that `filter` (if any) lets through. */
export function listLoop({ make, ...place }: Loop, element: Expr, filter: Expr | undefined): Expr {
  const added = make.call(Operator.add, make.accumulator(), make.list(element));
  const step = filter === undefined ? added : make.call(Operator.conditional, filter, added, make.accumulator());
  return make.comprehension({
    ...place,
    accumulator: ACCUMULATOR,
    initial: make.list(),
    condition: make.bool(true),
    step,
    result: make.accumulator(),
    form: { kind: 'collect', element, filter },
  });
}

/** The loop of `range.map(variable, transform)` or `range.map(variable, filter, transform)`. */
export function expandMap(call: MacroCall): Expr {
  const [, second, third] = call.args as readonly [Expr, Expr, Expr?];
  const loop = loopOf(call, NO_IDENTIFIER);
  return third === undefined ? listLoop(loop, second, undefined) : listLoop(loop, third, second);
}

function expandFilter(call: MacroCall): Expr {
  const [variable, predicate] = call.args as readonly [Expr, Expr];
  return listLoop(loopOf(call, NO_IDENTIFIER), variable, predicate);
}

function loopOf({ offset, target, args }: MacroCall, message: string): Loop {
  return {
    make: new NodeMaker(offset),
    range: target as Expr,
    variable: loopVariable(args[0] as Expr, message),
    variable2: undefined,
  };
}
