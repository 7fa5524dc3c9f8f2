import type { LiteralValue } from '../syntax/index.ts';
import { Breakdown, CelError, Double, Uint, type Value } from '../values/index.ts';
import { Attribute, branchEvaluator, type Qualifier } from './attribute.ts';
import { type Evaluate, Frame } from './frame.ts';
import { ProgramError } from './program-error.ts';

/** A planned part of an expression. */
export type Plan =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'attribute'; readonly attribute: Attribute }
  | { readonly kind: 'computed'; readonly evaluate: Evaluate };

/** Appends one selection to a plan. */
export function qualified(plan: Plan, qualifier: Qualifier): Plan {
  const attribute =
    plan.kind === 'attribute' ? plan.attribute : new Attribute({ kind: 'computed', evaluate: evaluatorOf(plan) });
  attribute.qualify(qualifier);
  return { kind: 'attribute', attribute };
}

export function computed(evaluate: Evaluate): Plan {
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

/** The closure of a plan, without charging for the attribute itself. */
export function resolverOf(plan: Plan): Evaluate {
  return plan.kind === 'attribute' ? plan.attribute.resolve() : evaluatorOf(plan);
}

/** The closure of one side of a `?:`. */
export function branchOf(plan: Plan): Evaluate {
  return plan.kind === 'computed' ? branchEvaluator(plan.evaluate) : resolverOf(plan);
}

/** Evaluates a conversion of a constant at planning time. */
export function fold(evaluate: Evaluate): Plan {
  const value = evaluate(new Frame({}, Number.POSITIVE_INFINITY));
  if (value instanceof CelError) throw new ProgramError(value.message);
  return { kind: 'constant', value };
}

/** Builds a list or map of constants at planning time. */
export function foldLiteral(evaluate: Evaluate): Plan {
  try {
    return { kind: 'constant', value: evaluate(new Frame({}, Number.POSITIVE_INFINITY)) };
  } catch (error) {
    if (error instanceof Breakdown) throw new ProgramError(error.message);
    throw error;
  }
}

/** The value of a literal. */
export function literalValue(literal: LiteralValue): Value {
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
