import type { FunctionDeclaration } from '../check/declarations.ts';
import type { TypeProvider } from '../check/type-provider.ts';
import { callCost } from '../cost/call-cost.ts';
import { STRUCT_CREATE } from '../cost/factors.ts';
import { compilePattern } from '../library/regex.ts';
import {
  type CallExpr,
  type Expr,
  type IdentExpr,
  type ListExpr,
  type LiteralValue,
  type MapExpr,
  Operator,
  type SelectExpr,
  type StructExpr,
} from '../syntax/index.ts';
import {
  Breakdown,
  CelError,
  Double,
  Failure,
  isList,
  type List,
  listSize,
  NONE,
  Optional,
  Uint,
  type Value,
  goTypeName,
} from '../values/index.ts';
import { Attribute, branchEvaluator, type Qualifier } from './attribute.ts';
import { callEvaluator, dispatch } from './call.ts';
import { type Evaluate, Frame } from './frame.ts';
import { isKey } from './keys.ts';
import { listLiteral, mapLiteral, wrongEntry } from './literals.ts';
import { planLoop } from './loop-plan.ts';
import { comparison, equality, logic, membership, numberComparisons, optionalOr } from './operators.ts';
import { ProgramError } from './program-error.ts';
import { type Local, LocalScope } from './local-scope.ts';
import { regexCall } from './regex-call.ts';
import type { Shape } from './shape.ts';

/** What the planner needs to know about the environment. */
export interface PlanContext {
  findFunction(name: string): FunctionDeclaration | undefined;
  readonly types: TypeProvider;
  /** The shape of a variable whose binding is raw JSON with a schema. */
  shapeOf(variable: string): Shape | undefined;
}

/** A part of an expression, planned. */
export type Plan =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'attribute'; readonly attribute: Attribute }
  | { readonly kind: 'computed'; readonly evaluate: Evaluate };

/** Functions that are carried out while planning when their argument is a constant. */
const FOLDED = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint']);

/** Makes a checked expression executable. Throws ProgramError when that cannot be done. */
export class Planner {
  readonly #context: PlanContext;
  readonly #scope: LocalScope;

  constructor(context: PlanContext, scope: LocalScope = new LocalScope()) {
    this.#context = context;
    this.#scope = scope;
  }

  evaluator(expr: Expr): Evaluate {
    return evaluatorOf(this.plan(expr));
  }

  /** The same planner inside a loop. */
  within(locals: readonly Local[]): Planner {
    return new Planner(this.#context, this.#scope.with(locals));
  }

  newSlot(): number {
    return this.#scope.newSlot();
  }

  plan(expr: Expr): Plan {
    switch (expr.kind) {
      case 'literal':
        return { kind: 'constant', value: literalValue(expr.literal) };
      case 'ident':
        return this.#ident(expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return { kind: 'computed', evaluate: planLoop(expr, this) };
    }
  }

  #ident(expr: IdentExpr): Plan {
    if (expr.constant !== undefined) return { kind: 'constant', value: expr.constant };
    if (expr.type?.kind === 'type') throw new ProgramError(`reference to undefined type: ${expr.name}`);
    const { name } = expr;
    const local = this.#scope.find(name);
    const base =
      local === undefined
        ? ({
            kind: 'variable',
            name,
            read: (frame: Frame) => frame.bindings[name],
            shape: this.#context.shapeOf(name),
            isBinding: true,
          } as const)
        : ({ kind: 'variable', name, read: local.read, shape: local.shape, isBinding: false } as const);
    return { kind: 'attribute', attribute: new Attribute(base) };
  }

  #select(expr: SelectExpr): Plan {
    if (expr.resolved !== undefined) return this.#ident(expr.resolved);
    return qualified(this.plan(expr.operand), {
      constant: expr.field,
      isOptional: false,
      isTyped: expr.operand.type?.kind === 'struct',
      isTest: expr.isTest,
    });
  }

  #call(expr: CallExpr): Plan {
    switch (expr.name) {
      case Operator.and:
      case Operator.or:
        return computed(
          logic(
            this.#terms(expr, expr.name).map((term) => this.evaluator(term)),
            expr.name === Operator.or,
          ),
        );
      case Operator.conditional:
        return this.#conditional(expr);
      case Operator.equals:
      case Operator.notEquals: {
        const [left, right] = expr.args.map((arg) => this.evaluator(arg)) as [Evaluate, Evaluate];
        const isNegated = expr.name === Operator.notEquals;
        const cost = callCost(expr.name, isNegated ? 'not_equals' : 'equals');
        return computed(equality(left, right, { isNegated, cost }));
      }
      case Operator.index:
      case Operator.optionalIndex:
      case Operator.optionalSelect:
        return this.#index(expr);
      default:
        return this.#function(expr);
    }
  }

  /** The operands of a chain of one operator. */
  #terms(expr: Expr, name: string): readonly Expr[] {
    if (expr.kind !== 'call' || expr.name !== name) return [expr];
    return expr.args.flatMap((arg) => this.#terms(arg, name));
  }

  #conditional(expr: CallExpr): Plan {
    const [condition, yes, no] = expr.args as readonly [Expr, Expr, Expr];
    const attribute = new Attribute({
      kind: 'conditional',
      condition: this.evaluator(condition),
      yes: branchOf(this.plan(yes)),
      no: branchOf(this.plan(no)),
    });
    return { kind: 'attribute', attribute };
  }

  #index(expr: CallExpr): Plan {
    const [operand, key] = expr.args.map((arg) => this.plan(arg)) as [Plan, Plan];
    const isOptional = expr.name !== Operator.index;
    if (key.kind !== 'constant')
      return qualified(operand, {
        computed: resolverOf(key),
        isNative: key.kind === 'attribute' && key.attribute.isNative,
        isOptional,
        isTest: false,
      });
    if (!isKey(key.value)) throw new ProgramError(`invalid qualifier type: ${goTypeName(key.value)}`);
    return qualified(operand, { constant: key.value, isOptional, isTest: false });
  }

  #function(expr: CallExpr): Plan {
    const parts = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const plans = parts.map((part) => this.plan(part));
    const overloadId = expr.overloads?.length === 1 ? (expr.overloads[0] as string) : '';
    const evaluators = plans.map(evaluatorOf);
    if (overloadId === 'optional_or_optional' || overloadId === 'optional_orValue_value') {
      return computed(optionalOr(evaluators[0] as Evaluate, evaluators[1] as Evaluate, expr.name === 'orValue'));
    }
    if (overloadId === 'in_list' && plans[1]?.kind === 'constant') {
      const list = plans[1].value as List;
      if (isList(list) && listSize(list) === 0) return { kind: 'constant', value: false };
      const found = membership(evaluators[0] as Evaluate, list);
      if (found !== undefined) return computed(found);
    }
    const evaluate = this.#callEvaluator(expr, overloadId, { plans, evaluators });
    return FOLDED.has(expr.name) && plans.length === 1 && plans[0]?.kind === 'constant'
      ? fold(evaluate)
      : computed(evaluate);
  }

  #callEvaluator(
    expr: CallExpr,
    overloadId: string,
    { plans, evaluators }: { readonly plans: readonly Plan[]; readonly evaluators: readonly Evaluate[] },
  ): Evaluate {
    const cost = callCost(expr.name, overloadId);
    const pattern = plans[1];
    if (
      pattern?.kind === 'constant' &&
      typeof pattern.value === 'string' &&
      ['matches', 'find', 'findAll'].includes(expr.name)
    ) {
      const compiled = compilePattern(pattern.value);
      if (!compiled.ok) throw new ProgramError(compiled.error.message);
      return callEvaluator(
        { implementation: regexCall(expr.name, compiled.pattern), isNonStrict: false },
        evaluators,
        cost,
      );
    }
    const declared = this.#context.findFunction(expr.name);
    const found = declared === undefined ? undefined : dispatch(declared, overloadId, evaluators.length);
    if (found === undefined) throw new ProgramError(`no such overload: ${expr.name}`);
    const { implementation } = found;
    if (cost === 1 && implementation.style === 'binary' && expr.name in numberComparisons) {
      return comparison(expr.name, evaluators as [Evaluate, Evaluate], implementation.apply);
    }
    return callEvaluator(found, evaluators, cost);
  }

  #list(expr: ListExpr): Plan {
    const plans = expr.elements.map((element) => this.plan(element));
    const evaluate = listLiteral(plans.map(evaluatorOf), expr.optionals);
    return plans.every(({ kind }) => kind === 'constant') ? foldLiteral(evaluate) : computed(evaluate);
  }

  #map(expr: MapExpr): Plan {
    const entries = expr.entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }));
    const evaluate = mapLiteral(
      entries.map(({ key, value, isOptional }) => ({ key: evaluatorOf(key), value: evaluatorOf(value), isOptional })),
    );
    const isConstant = entries.every(({ key, value }) => key.kind === 'constant' && value.kind === 'constant');
    return isConstant ? foldLiteral(evaluate) : computed(evaluate);
  }

  #struct(expr: StructExpr): Plan {
    const { typeName } = expr;
    const { types } = this.#context;
    const fields = expr.fields.map(({ name, value, isOptional }) => ({
      name,
      isOptional,
      value: this.evaluator(value),
    }));
    return computed((frame) => {
      const values = new Map<string, Value>();
      for (const { name, isOptional, value: evaluate } of fields) {
        const value = evaluate(frame);
        const failure = value instanceof Failure ? value : setField(values, name, { value, isOptional });
        if (failure !== undefined) {
          frame.charge(STRUCT_CREATE);
          return failure;
        }
      }
      frame.charge(STRUCT_CREATE);
      return types.create?.(typeName, values) ?? new CelError(`unknown type '${typeName}'`);
    });
  }
}

function setField(
  values: Map<string, Value>,
  name: string,
  { value, isOptional }: { readonly value: Value; readonly isOptional: boolean },
): CelError | undefined {
  if (!isOptional) {
    values.set(name, value);
    return undefined;
  }
  if (!(value instanceof Optional)) return wrongEntry(name, value);
  if (value === NONE || value.value === undefined) values.delete(name);
  else values.set(name, value.value);
  return undefined;
}

function qualified(plan: Plan, qualifier: Qualifier): Plan {
  const attribute =
    plan.kind === 'attribute' ? plan.attribute : new Attribute({ kind: 'computed', evaluate: evaluatorOf(plan) });
  attribute.qualify(qualifier);
  return { kind: 'attribute', attribute };
}

function computed(evaluate: Evaluate): Plan {
  return { kind: 'computed', evaluate };
}

/** The closure of a plan. */
export function evaluatorOf(plan: Plan): Evaluate {
  switch (plan.kind) {
    case 'constant': {
      const { value } = plan;
      return () => value;
    }
    case 'attribute':
      return plan.attribute.evaluate();
    case 'computed':
      return plan.evaluate;
  }
}

/** The closure of a plan where attributes are not paid for themselves. */
function resolverOf(plan: Plan): Evaluate {
  return plan.kind === 'attribute' ? plan.attribute.resolve() : evaluatorOf(plan);
}

function branchOf(plan: Plan): Evaluate {
  return plan.kind === 'computed' ? branchEvaluator(plan.evaluate) : resolverOf(plan);
}

/** Carries out a conversion of a constant. */
function fold(evaluate: Evaluate): Plan {
  const value = evaluate(new Frame({}, Number.POSITIVE_INFINITY));
  if (value instanceof CelError) throw new ProgramError(value.message);
  return { kind: 'constant', value };
}

function foldLiteral(evaluate: Evaluate): Plan {
  try {
    return { kind: 'constant', value: evaluate(new Frame({}, Number.POSITIVE_INFINITY)) };
  } catch (error) {
    if (error instanceof Breakdown) throw new ProgramError(error.message);
    throw error;
  }
}

function literalValue(literal: LiteralValue): Value {
  switch (literal.kind) {
    case 'null':
      return null;
    case 'double':
      return new Double(literal.value);
    case 'uint':
      return new Uint(literal.value);
    default:
      return literal.value;
  }
}
