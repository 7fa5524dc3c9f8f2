import { duplicate, invalidValue, required, tooMany } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../api/types/batch/v1.d.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;

/** What failed pods mean for the job. */
export function checkFailurePolicy(spec: JobSpec, field: string): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const errors = rules.length > MAX_RULES ? [tooMany(`${field}.rules`, rules.length, MAX_RULES)] : [];
  return [...errors, ...rules.flatMap((rule, index) => checkRule(rule, `${field}.rules[${index}]`, spec))];
}

function checkRule(rule: PodFailurePolicyRule, field: string, spec: JobSpec): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const errors: FieldError[] = [];
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  }
  if (onExitCodes !== undefined) errors.push(...checkExitCodes(onExitCodes, `${field}.onExitCodes`, spec));
  if (onPodConditions.length > MAX_CONDITIONS) {
    errors.push(tooMany(`${field}.onPodConditions`, onPodConditions.length, MAX_CONDITIONS));
  }
  const hasConditions = onPodConditions.length > 0;
  if ((onExitCodes !== undefined) !== hasConditions) return errors;
  const detail = hasConditions
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  return [...errors, { reason: 'FieldValueInvalid', field, detail }];
}

function checkExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  field: string,
  { template }: JobSpec,
): FieldError[] {
  const codes = values ?? [];
  const containers = [...(template.spec?.containers ?? []), ...(template.spec?.initContainers ?? [])];
  const errors: FieldError[] = [];
  if (containerName !== undefined && !containers.some(({ name }) => name === containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${field}.containerName`, containerName, detail));
  }
  const at = `${field}.values`;
  if (codes.length === 0) errors.push(invalidValue(at, codes, 'at least one value is required'));
  if (codes.length > MAX_EXIT_CODES) errors.push(tooMany(at, codes.length, MAX_EXIT_CODES));
  for (const [index, code] of codes.entries()) {
    if (operator === 'In' && code === 0) {
      errors.push(invalidValue(`${at}[${index}]`, code, 'must not be 0 for the In operator'));
    }
    if (codes.indexOf(code) < index) errors.push(duplicate(`${at}[${index}]`, code));
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? 0) <= code);
  return isOrdered ? errors : [...errors, invalidValue(at, codes, 'must be ordered')];
}

/** When a job has succeeded although not every index did. */
export function checkSuccessPolicy(spec: JobSpec, field: string): FieldError[] {
  const { successPolicy, completions = 0 } = spec;
  if (successPolicy === undefined) return [];
  const rules = successPolicy.rules ?? [];
  if (spec.completionMode !== 'Indexed') {
    return [invalidValue(field, { Rules: rules }, 'requires indexed completion mode')];
  }
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    errors.push(required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(`${field}.rules`, rules.length, MAX_RULES));
  for (const [index, { succeededCount, succeededIndexes }] of rules.entries()) {
    const at = `${field}.rules[${index}]`;
    if (succeededCount === undefined && succeededIndexes === undefined) {
      errors.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'));
    }
    if (succeededCount !== undefined && succeededCount > completions) {
      const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
      errors.push(invalidValue(`${at}.succeededCount`, succeededCount, detail));
    }
  }
  return errors;
}
