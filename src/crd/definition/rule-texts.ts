import { type FieldError, invalidValue, notSupported, required, trimGo } from '../../api/index.ts';
import type { ValidationRule } from '../../api/types/apiextensions/v1.d.ts';
import type { Schema } from './definition.ts';
import { followFieldPath } from './field-path.ts';
import { structuralFormProblem } from './structural-form.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

/**
 * Problems of the rules of a schema other than in their expressions. `isReadable`: paths in the schema can be followed.
 */
export function checkRuleTexts(schema: Schema, path: string, isReadable: boolean): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const followed = isReadable || structuralFormProblem(schema) === undefined ? schema : undefined;
  return rules.flatMap((rule, index) => checkRule(rule, followed, `${path}.x-kubernetes-validations[${index}]`));
}

function checkRule(rule: ValidationRule, schema: Schema | undefined, path: string): FieldError[] {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const errors: FieldError[] = [];
  const text = trimGo(rule.rule ?? '');
  const trimmed = trimGo(message);
  if (text === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && trimmed === '')
    errors.push(invalidValue(`${path}.message`, message, 'must be non-empty if specified'));
  else if (LINE_BREAK.test(trimmed))
    errors.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
  else if (LINE_BREAK.test(text) && trimmed === '')
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && trimGo(messageExpression) === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, REASONS));
  return [...errors, ...checkFieldPath(fieldPath, schema, `${path}.fieldPath`)];
}

function checkFieldPath(fieldPath: string, schema: Schema | undefined, path: string): FieldError[] {
  if (fieldPath === '') return [];
  const errors: FieldError[] = [];
  if (trimGo(fieldPath) === '') errors.push(invalidValue(path, fieldPath, 'must be non-empty if specified'));
  if (LINE_BREAK.test(fieldPath)) errors.push(invalidValue(path, fieldPath, 'must not contain line breaks'));
  if (schema !== undefined && !followFieldPath(fieldPath, schema, { allowsBrackets: true }).ok)
    errors.push(invalidValue(path, fieldPath, 'must be a valid path'));
  return errors;
}
