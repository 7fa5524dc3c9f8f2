import type { Condition } from '../api/types/meta/v1.d.ts';
import {
  asJson,
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  required,
  tooLong,
} from '../api/index.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_PROBLEM =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

/** The rules for conditions, for kinds that check them. */
export function checkConditions(conditions: readonly Condition[], field: string): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const place = `${field}[${index}]`;
    const twice = seen.has(condition.type) ? [duplicate(`${place}.type`, condition.type)] : [];
    seen.add(condition.type);
    return [...twice, ...checkCondition(condition, place)];
  });
}

function checkCondition(condition: Condition, field: string): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const errors = qualifiedNameProblems(type).map((problem) => invalidValue(`${field}.type`, type, problem));
  if (!STATUSES.includes(status)) errors.push(notSupported(`${field}.status`, asJson(status), STATUSES));
  if (observedGeneration < 0) {
    const detail = 'must be greater than or equal to zero';
    errors.push(invalidValue(`${field}.observedGeneration`, observedGeneration, detail));
  }
  if ((lastTransitionTime ?? '') === '') errors.push(required(`${field}.lastTransitionTime`));
  if (reason === '') errors.push(required(`${field}.reason`));
  else if (!REASON.test(reason)) errors.push(invalidValue(`${field}.reason`, reason, REASON_PROBLEM));
  if (Buffer.byteLength(reason) > MAX_REASON_BYTES) errors.push(tooLong(`${field}.reason`, MAX_REASON_BYTES));
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) errors.push(tooLong(`${field}.message`, MAX_MESSAGE_BYTES));
  return errors;
}
