import type { ComprehensionExpr, Expr, LiteralValue } from './expr.ts';

/** A mistake in the use of a macro, with the offending argument. */
export class MacroError extends Error {
  override readonly name = 'MacroError';
  readonly offset: number;

  constructor(at: Expr, message: string) {
    super(message);
    this.offset = at.offset;
  }
}

/** A call that the parser replaces by another expression. */
export interface Macro {
  readonly name: string;
  readonly isMember: boolean;
  readonly argumentCount: number;
  /** Throws MacroError when the arguments are invalid; undefined leaves the call as it is. */
  expand(call: MacroCall): Expr | undefined;
}

export interface MacroCall {
  /** The position of the nodes that the macro generates. */
  readonly offset: number;
  /** The receiver of a member macro, otherwise undefined. */
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** The variable in which comprehensions collect their result. No expression can name it. */
export const ACCUMULATOR = '@result';
/** Its former name, which is still not allowed as a loop variable. */
const OLD_ACCUMULATOR = '__result__';

/** Finds the macro of a call. */
export class MacroTable {
  readonly #macros = new Map<string, Macro>();

  constructor(macros: readonly Macro[]) {
    for (const macro of macros) this.#macros.set(keyOf(macro.name, macro.isMember, macro.argumentCount), macro);
  }

  find(name: string, isMember: boolean, argumentCount: number): Macro | undefined {
    return this.#macros.get(keyOf(name, isMember, argumentCount));
  }
}

function keyOf(name: string, isMember: boolean, argumentCount: number): string {
  return `${isMember ? 'member' : 'global'} ${name}/${argumentCount}`; // a global name may begin with a dot
}

/** Creates nodes at the position of the macro call. */
export class NodeMaker {
  readonly #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  literal(literal: LiteralValue): Expr {
    return { kind: 'literal', offset: this.#offset, literal };
  }

  bool(value: boolean): Expr {
    return this.literal({ kind: 'bool', value });
  }

  int(value: number): Expr {
    return this.literal({ kind: 'int', value });
  }

  ident(name: string): Expr {
    return { kind: 'ident', offset: this.#offset, name };
  }

  accumulator(): Expr {
    return this.ident(ACCUMULATOR);
  }

  list(...elements: readonly Expr[]): Expr {
    return { kind: 'list', offset: this.#offset, elements, optionals: new Set() };
  }

  map(): Expr {
    return { kind: 'map', offset: this.#offset, entries: [] };
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return { kind: 'call', offset: this.#offset, name, target: undefined, args };
  }

  memberCall(name: string, target: Expr, ...args: readonly Expr[]): Expr {
    return { kind: 'call', offset: this.#offset, name, target, args };
  }

  test(operand: Expr, field: string): Expr {
    return { kind: 'select', offset: this.#offset, operand, field, isTest: true };
  }

  /** `result` with a name bound to the value of `initial`: a loop over an empty range. */
  bind(name: string, initial: Expr, result: Expr): Expr {
    return this.comprehension({
      range: this.list(),
      variable: '#unused',
      variable2: undefined,
      accumulator: name,
      initial,
      condition: this.bool(false),
      step: this.ident(name),
      result,
    });
  }

  comprehension(parts: Omit<ComprehensionExpr, 'kind' | 'offset' | 'type'>): Expr {
    return { kind: 'comprehension', offset: this.#offset, ...parts };
  }
}

/** A loop variable: an identifier that does not hide the accumulator. `message` is the error for anything else. */
export function loopVariable(arg: Expr, message: string): string {
  if (arg.kind !== 'ident') throw new MacroError(arg, message);
  refuseAccumulator(arg, arg.name);
  return arg.name;
}

export function refuseAccumulator(arg: Expr, name: string): void {
  if (name === ACCUMULATOR || name === OLD_ACCUMULATOR) {
    throw new MacroError(arg, 'iteration variable overwrites accumulator variable');
  }
}

/** A deep copy, for expressions that a macro at `offset` needs twice. Fields also get that position. */
export function copyExpr(expr: Expr, offset: number): Expr {
  const copy = (part: Expr): Expr => copyExpr(part, offset);
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return { ...expr };
    case 'select':
      return { ...expr, operand: copy(expr.operand) };
    case 'call':
      return {
        ...expr,
        target: expr.target === undefined ? undefined : copy(expr.target),
        args: expr.args.map(copy),
      };
    case 'list':
      return { ...expr, elements: expr.elements.map(copy) };
    case 'map':
      return {
        ...expr,
        entries: expr.entries.map((entry) => ({ ...entry, offset, key: copy(entry.key), value: copy(entry.value) })),
      };
    case 'struct':
      return { ...expr, fields: expr.fields.map((field) => ({ ...field, offset, value: copy(field.value) })) };
    case 'comprehension':
      return {
        ...expr,
        range: copy(expr.range),
        initial: copy(expr.initial),
        condition: copy(expr.condition),
        step: copy(expr.step),
        result: copy(expr.result),
        form: undefined, // it refers to parts of the original
      };
  }
}
