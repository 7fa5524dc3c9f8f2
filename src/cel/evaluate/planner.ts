import type { FunctionDeclaration } from '../check/declarations.ts';
import type { TypeProvider } from '../check/type-provider.ts';
import { callCost, prepaid } from '../cost/call-cost.ts';
import { compilePattern } from '../library/regex.ts';
import {
  type CallExpr,
  type Expr,
  type IdentExpr,
  type ListExpr,
  type MapExpr,
  Operator,
  type SelectExpr,
  type StructExpr,
} from '../syntax/index.ts';
import { isList, type List, listSize, goTypeName } from '../values/index.ts';
import { Attribute } from './attribute.ts';
import { callEvaluator, dispatch, prepaidCall, regexCall } from './call.ts';
import type { Evaluate, Frame } from './frame.ts';
import { isKey } from './keys.ts';
import { listLiteral, mapLiteral, structLiteral } from './literals.ts';
import { planLoop } from './loop-plan.ts';
import { comparison, equality, logic, membership, numberComparisons, optionalOr } from './operators.ts';
import {
  branchOf,
  computed,
  evaluatorOf,
  fold,
  foldLiteral,
  literalValue,
  type Plan,
  qualified,
  resolverOf,
} from './plan.ts';
import { ProgramError } from './program-error.ts';
import { type Local, LocalScope } from './local-scope.ts';
import type { Shape } from './shape.ts';

/** What the planner needs to know about the environment. */
export interface PlanContext {
  findFunction(name: string): FunctionDeclaration | undefined;
  readonly types: TypeProvider;
  /** The shape of a variable that is bound to raw JSON with a schema. */
  shapeOf(variable: string): Shape | undefined;
}

/** Functions that are evaluated at planning time when their argument is a constant. */
const FOLDED = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint']);

/** Compiles a checked expression into closures. Throws ProgramError when that is impossible. */
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

  /** The operands of a chain of the same operator. */
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
    if (expr.name === Operator.in && overloadId === 'in_list' && plans[1]?.kind === 'constant') {
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
    if (prepaid.has(overloadId)) return prepaidCall(implementation, evaluators, cost);
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

  #struct({ typeName, fields }: StructExpr): Plan {
    const planned = fields.map(({ name, value, isOptional }) => ({ name, isOptional, value: this.evaluator(value) }));
    return computed(structLiteral(typeName, planned, this.#context.types));
  }
}
