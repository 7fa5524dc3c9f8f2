import {
  asJson,
  forbiddenField,
  invalidValue,
  labelValueProblems,
  qualifiedNameProblems,
  required,
} from '../api/index.ts';
import type { FieldError } from '../api/index.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../api/types/meta/v1.d.ts';
import { checkLabels } from '../apiserver/index.ts';

interface SelectorOptions {
  /** Newer clients may use unknown operators (access reviews). */
  readonly allowsUnknownOperator?: boolean;
  /** Values of the old object may stay although they would be refused today. */
  readonly allowsInvalidValues?: boolean;
}

/** The problems of a label selector. */
export function checkLabelSelector(
  selector: LabelSelector | undefined,
  field: string,
  options: SelectorOptions = {},
): FieldError[] {
  if (selector === undefined || selector === null) return [];
  return [
    ...checkLabels(selector.matchLabels, `${field}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
      checkRequirement(requirement, `${field}.matchExpressions[${index}]`, options),
    ),
  ];
}

export function checkRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  field: string,
  options: SelectorOptions = {},
): FieldError[] {
  const errors = checkOperator({ operator, values }, field, options);
  for (const problem of qualifiedNameProblems(key)) errors.push(invalidValue(`${field}.key`, key, problem));
  if (options.allowsInvalidValues === true) return errors;
  for (const [index, value] of values.entries()) {
    for (const problem of labelValueProblems(value)) {
      errors.push(invalidValue(`${field}.values[${index}]`, value, problem));
    }
  }
  return errors;
}

/** Whether an operator and its values fit together, for labels and fields. */
export function checkOperator(
  { operator, values }: { readonly operator: string; readonly values: readonly string[] },
  field: string,
  options: SelectorOptions = {},
): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      if (options.allowsUnknownOperator === true) return [];
      return [invalidValue(`${field}.operator`, asJson(operator), 'not a valid selector operator')];
  }
}

export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  const { matchLabels, matchExpressions } = selector ?? {};
  return Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;
}
