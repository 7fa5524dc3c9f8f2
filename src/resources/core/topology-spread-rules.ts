import {
  asJson,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import type { TopologySpreadConstraint } from '../../api/types/core/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];
const NOT_POSITIVE = 'must be greater than zero';

/** Of two equal constraints, the first is reported. */
export function checkSpreadConstraints(constraints: readonly TopologySpreadConstraint[], field: string): FieldError[] {
  const keys = constraints.map(
    ({ topologyKey = '', whenUnsatisfiable = '' }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  );
  return constraints.flatMap((constraint, index) => {
    const at = `${field}[${index}]`;
    const key = keys[index] ?? '';
    const { maxSkew = 0, topologyKey = '', minDomains, labelSelector, matchLabelKeys } = constraint;
    const action: string = constraint.whenUnsatisfiable ?? '';
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalidValue(`${at}.maxSkew`, maxSkew, NOT_POSITIVE));
    if (topologyKey === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${at}.whenUnsatisfiable`, asJson(action ?? ''), ACTIONS));
    if (keys.includes(key, index + 1)) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, key));
    if (minDomains !== undefined && minDomains <= 0) {
      errors.push(invalidValue(`${at}.minDomains`, minDomains, NOT_POSITIVE));
    }
    if (minDomains !== undefined && action !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
      errors.push(invalidValue(`${at}.minDomains`, minDomains, detail));
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[name];
      if (policy !== undefined && !POLICIES.includes(policy)) {
        errors.push(notSupported(`${at}.${name}`, asJson(policy ?? ''), POLICIES));
      }
    }
    return [
      ...errors,
      ...checkLabelKeys({ matchLabelKeys, labelSelector }, at),
      ...checkLabelSelector(labelSelector, `${at}.labelSelector`),
    ];
  });
}

interface WithLabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: LabelSelector;
}

/** Keys of the pod's own labels beside a selector, which has to be there and may not say anything else about them. */
export function checkLabelKeys(
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: WithLabelKeys,
  field: string,
): FieldError[] {
  const errors = [
    ...checkKeys(matchLabelKeys, labelSelector, `${field}.matchLabelKeys`),
    ...checkKeys(mismatchLabelKeys, labelSelector, `${field}.mismatchLabelKeys`),
  ];
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key = '' } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && selected.has(key)) {
      errors.push(invalidValue(`${field}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    }
    selected.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
    errors.push(invalidValue(`${field}.matchLabelKeys[${index}]`, key, detail));
  }
  return errors;
}

function checkKeys(keys: readonly string[], selector: LabelSelector | undefined, field: string): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbiddenField(field, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, index) =>
    qualifiedNameProblems(key).map((problem) => invalidValue(`${field}[${index}]`, key, problem)),
  );
}
