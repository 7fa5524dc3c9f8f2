import { forbiddenField, invalidValue, matchLabels, notSupported, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { ReplicationController } from '../../api/types/core/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';
import { checkPodTemplateSpec } from './pod-template-rules.ts';
import { checkReplicaCounts } from './replica-counts.ts';

export function checkReplicationController({ spec }: Whole<ReplicationController>): FieldError[] {
  const { selector = {}, template } = spec;
  const isSelecting = Object.keys(selector).length > 0;
  const errors = [
    ...checkLabels(selector, 'spec.selector'),
    ...(isSelecting ? [] : [required('spec.selector')]),
    ...(template === undefined ? [required('spec.template')] : []),
  ];
  if (template === undefined) return errors;
  const labels = template.metadata?.labels;
  if (isSelecting && !matchLabels(selector).matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, detail));
  }
  errors.push(...checkPodTemplateSpec(template, 'spec.template'));
  if (template.spec?.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', template.spec?.restartPolicy ?? '', ['Always']));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = 'activeDeadlineSeconds in ReplicationController is not Supported';
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', detail));
  }
  return errors;
}

export function checkReplicationControllerStatus({ status }: Whole<ReplicationController>): FieldError[] {
  return checkReplicaCounts(status);
}
