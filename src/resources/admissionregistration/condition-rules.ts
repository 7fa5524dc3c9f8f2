import { duplicate, type FieldError, invalidValue, qualifiedNameProblems, required } from '../../api/index.ts';
import type { MatchCondition } from '../../api/types/admissionregistration/v1.d.ts';
import type { PolicyExpressions } from './expression-rules.ts';

/** The rules of match conditions, for policies and webhooks. */
export function checkConditions(
  conditions: readonly MatchCondition[],
  field: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const names = new Set<string>();
  return conditions.flatMap(({ name = '', expression = '' }, index) => {
    const at = `${field}[${index}]`;
    const errors =
      expression.trim() === ''
        ? [required(`${at}.expression`)]
        : expressions.check('condition', expression.trim(), { field: `${at}.expression` });
    if (name === '') return [...errors, required(`${at}.name`)];
    for (const problem of qualifiedNameProblems(name)) errors.push(invalidValue(`${at}.name`, name, problem));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    return errors;
  });
}
