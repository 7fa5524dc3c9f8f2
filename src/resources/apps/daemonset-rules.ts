import {
  forbiddenField,
  invalidValue,
  matchLabelSelector,
  notSupported,
  required,
  ValueError,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { DaemonSet, DaemonSetSpec } from '../../api/types/apps/v1.d.ts';
import { checkPodTemplateSpec } from '../core/pod-template-rules.ts';
import type { Whole } from '../kind.ts';
import { checkCountOrPercent, checkNotMoreThanAll, isNone } from './percent-rules.ts';
import { checkLabelSelector, isEmptySelector } from '../label-selector-rules.ts';
import { nested, unversioned } from '../unversioned.ts';

export function checkDaemonSet({ spec }: Whole<DaemonSet>): FieldError[] {
  const { template, selector } = spec;
  const matcher = matchLabelSelector(selector ?? undefined);
  const labels = template.metadata?.labels;
  const errors = checkLabelSelector(selector ?? undefined, 'spec.selector');
  if (!(matcher instanceof ValueError) && !matcher.matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, detail));
  }
  if (selector !== undefined && selector !== null && isEmptySelector(selector)) {
    errors.push(invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset'));
  }
  errors.push(...checkPodTemplateSpec(template, 'spec.template'));
  if (template.spec?.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', template.spec?.restartPolicy ?? '', ['Always']));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = 'activeDeadlineSeconds in DaemonSet is not Supported';
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', detail));
  }
  return [...errors, ...checkUpdateStrategy(spec)];
}

const STRATEGY = { Type: '', RollingUpdate: nested({ MaxUnavailable: 0, MaxSurge: 0 }) };

function checkUpdateStrategy({ updateStrategy }: DaemonSetSpec): FieldError[] {
  const { type, rollingUpdate } = updateStrategy ?? {};
  const field = 'spec.updateStrategy.rollingUpdate';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const shown = unversioned(updateStrategy ?? {}, STRATEGY);
    return [notSupported('spec.updateStrategy', shown, ['RollingUpdate', 'OnDelete'])];
  }
  if (rollingUpdate === undefined) return [required(field)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const errors = [
    ...checkCountOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...checkCountOrPercent(maxSurge, `${field}.maxSurge`),
    ...checkNotMoreThanAll(maxUnavailable, `${field}.maxUnavailable`),
    ...checkNotMoreThanAll(maxSurge, `${field}.maxSurge`),
  ];
  if (!isNone(maxUnavailable) && !isNone(maxSurge)) {
    errors.push(invalidValue(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

export function checkDaemonSetStatus({ status }: Whole<DaemonSet>, old: Whole<DaemonSet>): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(status)) {
    if (typeof value === 'number' && value < 0) {
      errors.push(invalidValue(`status.${name}`, value, 'must be greater than or equal to 0'));
    }
  }
  if (old.status.collisionCount !== undefined && (status.collisionCount ?? 0) < old.status.collisionCount) {
    errors.push(invalidValue('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented'));
  }
  return errors;
}
