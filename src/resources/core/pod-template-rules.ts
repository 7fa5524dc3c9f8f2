import { forbiddenField, invalidValue, matchLabelSelector, notSupported, ValueError } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { checkAnnotations, checkLabels } from '../../apiserver/index.ts';
import { checkPodSpec } from './pod-spec-rules.ts';

export function checkPodTemplateSpec({ metadata, spec }: PodTemplateSpec, field: string): FieldError[] {
  const errors = [
    ...checkLabels(metadata?.labels, `${field}.labels`),
    ...checkAnnotations(metadata?.annotations, `${field}.annotations`),
    ...(spec === undefined ? [] : checkPodSpec(spec, `${field}.spec`, { isPod: false })),
  ];
  if ((spec?.ephemeralContainers ?? []).length > 0) {
    const detail = 'ephemeral containers not allowed in pod template';
    errors.push(forbiddenField(`${field}.spec.ephemeralContainers`, detail));
  }
  return errors;
}

/** The template of a workload that keeps pods running: its pods must be the workload's own, and always restart. */
export function checkWorkloadTemplate(
  template: PodTemplateSpec,
  selector: LabelSelector | undefined,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const matcher = matchLabelSelector(selector);
  const labels = template.metadata?.labels;
  if (!(matcher instanceof ValueError) && !matcher.isEmpty && !matcher.matches(labels)) {
    errors.push(
      invalidValue(`${field}.metadata.labels`, labels ?? null, '`selector` does not match template `labels`'),
    );
  }
  errors.push(...checkPodTemplateSpec(template, field));
  if (template.spec?.restartPolicy !== 'Always') {
    errors.push(notSupported(`${field}.spec.restartPolicy`, template.spec?.restartPolicy ?? '', ['Always']));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    errors.push(
      forbiddenField(`${field}.spec.activeDeadlineSeconds`, 'activeDeadlineSeconds in ReplicaSet is not Supported'),
    );
  }
  return errors;
}
