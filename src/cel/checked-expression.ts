import { type CostRange, estimateCost, type SizeEstimator } from './cost/estimate.ts';
import { Planner, type PlanContext } from './evaluate/planner.ts';
import { Program, type ProgramOptions } from './program.ts';
import { childrenOf, type Expr, Operator } from './syntax/index.ts';
import { formatType, type Type } from './type-terms/index.ts';

/** An expression that was parsed and checked. */
export class CheckedExpression {
  readonly expr: Expr;
  readonly #context: PlanContext;

  constructor(expr: Expr, context: PlanContext) {
    this.expr = expr;
    this.#context = context;
  }

  /** The type of its value. */
  get type(): Type {
    return this.expr.type as Type;
  }

  /** The type as check errors name it. */
  get typeName(): string {
    return formatType(this.type);
  }

  /** Compiles it into a program. Throws ProgramError when that is impossible. */
  program(options: ProgramOptions = {}): Program {
    return new Program(new Planner(this.#context).evaluator(this.expr), options);
  }

  /** What evaluating it may cost, given how large the variables can be. */
  estimateCost(sizes?: SizeEstimator): CostRange {
    return estimateCost(this.expr, sizes);
  }

  /** Whether a variable of this name is used anywhere. */
  mentions(variable: string): boolean {
    return mentions(this.expr, variable);
  }

  /** Whether this field of a variable is read, or tested with `has()`, anywhere. */
  selects(variable: string, field: string): boolean {
    return selects(this.expr, variable, field);
  }
}

function selects(expr: Expr, variable: string, field: string): boolean {
  const isVariable = (operand: Expr | undefined): boolean => operand?.kind === 'ident' && operand.name === variable;
  if (expr.kind === 'select' && expr.field === field && isVariable(expr.operand)) return true;
  if (expr.kind === 'call' && expr.name === Operator.optionalSelect && isVariable(expr.args[0])) {
    const [, name] = expr.args;
    if (name?.kind === 'literal' && name.literal.kind === 'string' && name.literal.value === field) return true;
  }
  return childrenOf(expr).some((child) => selects(child, variable, field));
}

function mentions(expr: Expr, name: string): boolean {
  if (expr.kind === 'ident') return expr.name === name;
  if (expr.kind === 'select' && expr.resolved !== undefined) return expr.resolved.name === name;
  return childrenOf(expr).some((child) => mentions(child, name));
}
