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

/** A compiled expression, with its text for messages. */
export function condition(environment: Environment, text: string, returnTypes: readonly Type[]): Condition {
  return { text, result: compileExpression(environment, text, { returnTypes }) };
}

/** The variables of a policy, for all its other expressions to refer to. */
export function composeVariables(variables: readonly Variable[], hasParams: boolean): Composition {
  const composition = new Composition({ hasParams, hasAuthorizer: true });
  for (const { name, expression } of variables) composition.add(name, expression);
  return composition;
}

/** `errors` counts the conditions that could not be evaluated, up to the one that is false. */
export type ConditionMatch =
  | { readonly matches: boolean; readonly errors: number }
  | { readonly problem: string; readonly errors: number };

/** The match conditions of a policy: one that is false decides, even if others failed. */
export class PolicyConditions {
  readonly #conditions: readonly Condition[];
  readonly #composition: Composition;

  constructor(conditions: readonly MatchCondition[], composition: Composition) {
    this.#composition = composition;
    const { environment } = composition;
    this.#conditions = conditions.map(({ expression }) => condition(environment, expression, [BOOL]));
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  match(values: RequestValues, oracle: AccessOracle): ConditionMatch {
    if (this.isEmpty) return { matches: true, errors: 0 };
    const bound = this.#composition.bind(conditionBindings(values, oracle));
    const outcome = evaluateConditions(this.#conditions, bound, limits.matchConditionsCost);
    if (!outcome.ok) return { problem: outcome.problem.detail, errors: 0 };
    const problems: string[] = [];
    for (const answer of outcome.answers) {
      if (!answer.ok) problems.push(answer.problem.detail);
      else if (answer.value === false) return { matches: false, errors: problems.length };
    }
    const errors = problems.length;
    return errors === 0 ? { matches: true, errors } : { problem: together(problems), errors };
  }
}

/** Joins distinct messages. */
function together(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}
