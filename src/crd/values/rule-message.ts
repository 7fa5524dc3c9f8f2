import {
  duplicate,
  duplicateWhole,
  type ExpressionRule,
  type FieldError,
  forbiddenField,
  invalidValue,
  invalidWhole,
  required,
} from '../../api/index.ts';
import { trimGo } from '../../api/values/index.ts';
import { type Bindings, isProblem, limits } from '../../cel/index.ts';
import type { PreparedRule } from './rule-tree.ts';

/** The name of a rule in messages. */
export function ruleName({ rule, message = '' }: ExpressionRule): string {
  return trimGo(message === '' ? rule : message);
}

export interface RuleMessage {
  readonly detail: string;
  readonly cost: number;
  /** Why the check ends here: the message expression is too expensive. */
  readonly problem?: string;
}

/** The message for a violated rule: the result of its message expression if that is usable, otherwise its name. */
export function evaluateMessage({ rule, compiled }: PreparedRule, bindings: Bindings, budget: number): RuleMessage {
  const { message = '', messageExpression = '' } = rule;
  const usual = message === '' ? `failed rule: ${ruleName(rule)}` : trimGo(message);
  const prepared = compiled === undefined || isProblem(compiled) ? undefined : compiled.message;
  if (prepared === undefined || isProblem(prepared)) return { detail: usual, cost: 0 };
  const evaluation = prepared.program.evaluate(bindings);
  const { cost } = evaluation;
  if (cost > budget) return { detail: '', cost, problem: OUT_OF_BUDGET };
  if (!evaluation.ok && evaluation.isOverLimit) {
    const what = 'no further validation rules will be run due to call cost exceeds limit for messageExpression';
    return { detail: '', cost, problem: `${what}: ${JSON.stringify(messageExpression)}` };
  }
  const said = evaluation.ok && typeof evaluation.value === 'string' ? trimGo(evaluation.value) : '';
  const isOfUse = said !== '' && !said.includes('\n') && Buffer.byteLength(said) <= limits.messageBytes;
  return { detail: isOfUse ? said : usual, cost };
}

const OUT_OF_BUDGET =
  'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';

/** The error for a violated rule, of the type that its reason names; objects and lists are not quoted. */
export function ruleError(
  { reason }: ExpressionRule,
  { field, detail, ...about }: { readonly field: string; readonly detail: string; readonly value?: unknown },
): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return 'value' in about ? duplicate(field, about.value) : duplicateWhole(field);
    default:
      return 'value' in about ? invalidValue(field, about.value, detail) : invalidWhole(field, detail);
  }
}
