import type { Bindings } from '../evaluate/frame.ts';
import type { Value } from '../values/index.ts';
import type { ExpressionProblem, ExpressionResult } from './compile-expression.ts';
import { ComposedBindings } from './composition.ts';

/** An expression of a policy or webhook, with its text for messages. */
export interface Condition {
  readonly text: string;
  readonly result: ExpressionResult;
}

export type ConditionAnswer =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: ExpressionProblem };

export type ConditionAnswers =
  | { readonly ok: true; readonly answers: readonly ConditionAnswer[]; readonly remainingBudget: number }
  /** The budget is exhausted, so there is no result. */
  | { readonly ok: false; readonly problem: ExpressionProblem };

/** Evaluates expressions in order, within the cost budget. */
export function evaluateConditions(
  conditions: readonly Condition[],
  variables: Bindings | ComposedBindings,
  budget: number,
): ConditionAnswers {
  const composed = variables instanceof ComposedBindings ? variables : undefined;
  const bindings = variables instanceof ComposedBindings ? variables.bindings : variables;
  let remainingBudget = budget;
  const answers: ConditionAnswer[] = [];
  for (const { text, result } of conditions) {
    if (!result.ok) {
      answers.push(problem(`compilation error: ${result.problem.detail}`));
      continue;
    }
    const evaluation = result.program.evaluate(bindings);
    remainingBudget -= (composed?.takeCost() ?? 0) + evaluation.cost;
    if (remainingBudget < 0) return problem(OUT_OF_BUDGET);
    answers.push(
      evaluation.ok
        ? { ok: true, value: evaluation.value }
        : problem(`expression '${text}' resulted in error: ${evaluation.error}`),
    );
  }
  return { ok: true, answers, remainingBudget };
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

function problem(detail: string): { readonly ok: false; readonly problem: ExpressionProblem } {
  return { ok: false, problem: { kind: 'invalid', detail } };
}
