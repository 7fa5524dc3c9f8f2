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

/** The template of a workload that keeps pods running: its selector must match its pods, which always restart. */
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
  return [...errors, ...checkLongRunningTemplate(template, field, 'ReplicaSet')];
}

/** The template of pods that always restart; `kind` is the workload's kind. */
export function checkLongRunningTemplate(template: PodTemplateSpec, field: string, kind: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = template.spec ?? {};
  const errors = checkPodTemplateSpec(template, field);
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(`${field}.spec.restartPolicy`, restartPolicy ?? '', ['Always']));
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField(`${field}.spec.activeDeadlineSeconds`, detail));
  }
  return errors;
}
