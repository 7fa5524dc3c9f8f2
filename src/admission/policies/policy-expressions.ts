import {
  BOOL,
  compileExpression,
  Composition,
  type Condition,
  type Environment,
  evaluateConditions,
  limits,
  type Type,
} from '../../cel/index.ts';
import type { AccessOracle } from '../../cel/index.ts';
import type { MatchCondition, Variable } from '../../api/types/admissionregistration/v1.d.ts';
import { conditionBindings, type RequestValues } from './request-values.ts';

/** An expression made ready, with its text for messages. */
export function condition(environment: Environment, text: string, returnTypes: readonly Type[]): Condition {
  return { text, result: compileExpression(environment, text, { returnTypes }) };
}

/** The variables of a policy, for all its other expressions to refer to. */
export function composeVariables(variables: readonly Variable[], hasParams: boolean): Composition {
  const composition = new Composition({ hasParams, hasAuthorizer: true });
  for (const { name, expression } of variables) composition.add(name, expression);
  return composition;
}

export type ConditionMatch = { readonly matches: boolean } | { readonly problem: string };

/** The match conditions of a policy: one that is false settles it, whatever is wrong with the others. */
export class PolicyConditions {
  readonly #conditions: readonly Condition[];
  readonly #composition: Composition;

  constructor(conditions: readonly MatchCondition[], composition: Composition) {
    this.#composition = composition;
    const { environment } = composition;
    this.#conditions = conditions.map(({ expression }) => condition(environment, expression, [BOOL]));
  }

  match(values: RequestValues, oracle: AccessOracle): ConditionMatch {
    if (this.#conditions.length === 0) return { matches: true };
    const bound = this.#composition.bind(conditionBindings(values, oracle));
    const outcome = evaluateConditions(this.#conditions, bound, limits.matchConditionsCost);
    if (!outcome.ok) return { problem: outcome.problem.detail };
    if (outcome.answers.some((answer) => answer.ok && answer.value === false)) return { matches: false };
    const problems = outcome.answers.flatMap((answer) => (answer.ok ? [] : [answer.problem.detail]));
    return problems.length === 0 ? { matches: true } : { problem: together(problems) };
  }
}

/** Several messages as one, each once. */
function together(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}
