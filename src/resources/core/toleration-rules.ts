import {
  asJson,
  type FieldError,
  invalidValue,
  labelValueProblems,
  notSupported,
  qualifiedNameProblems,
} from '../../api/index.ts';
import type { Toleration } from '../../api/types/core/v1.d.ts';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Whether the fields of tolerations are valid and fit together. */
export function checkTolerations(tolerations: readonly Toleration[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => checkToleration(toleration, `${field}[${index}]`));
}

function checkToleration(toleration: Toleration, field: string): FieldError[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const errors: FieldError[] =
    key === '' ? [] : qualifiedNameProblems(key).map((problem) => invalidValue(`${field}.key`, key, problem));
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${field}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalidValue(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  errors.push(...checkOperator(toleration, field));
  if (effect !== '' && !TAINT_EFFECTS.includes(effect)) {
    errors.push(notSupported(`${field}.effect`, asJson(effect ?? ''), TAINT_EFFECTS));
  }
  return errors;
}

/** Errors about the value, too, are reported at the operator. */
function checkOperator({ operator, value = '' }: Toleration, field: string): FieldError[] {
  const at = `${field}.operator`;
  switch ((operator ?? '') as string) {
    case '':
    case 'Equal': {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalidValue(at, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalidValue(at, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return [notSupported(at, asJson(operator ?? ''), ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(at, asJson(operator ?? ''), ['Equal', 'Exists'])];
  }
}
