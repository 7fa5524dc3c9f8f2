import {
  asJson,
  forbiddenField,
  invalidValue,
  matchLabelSelector,
  notSupported,
  ValueError,
  sentEmpty,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { PodSpec, PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { checkAnnotations, checkLabels } from '../../apiserver/index.ts';
import { checkPodAnnotations, checkProfileAnnotations } from './pod-annotation-rules.ts';
import { checkPodSpec } from './pod-spec-rules.ts';

/** What a template that leaves out its spec has. */
const NO_SPEC: PodSpec = { containers: [] };

export function checkPodTemplateSpec({ metadata, spec }: PodTemplateSpec, field: string): FieldError[] {
  const errors = [
    ...checkLabels(metadata?.labels, `${field}.labels`),
    ...checkAnnotations(metadata?.annotations, `${field}.annotations`),
    ...checkPodAnnotations(metadata?.annotations, spec ?? NO_SPEC, `${field}.annotations`),
    ...checkPodSpec(spec ?? NO_SPEC, `${field}.spec`, { isPod: false }),
    ...checkProfileAnnotations(metadata?.annotations, spec ?? NO_SPEC, `${field}.spec`),
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
      invalidValue(
        `${field}.metadata.labels`,
        labels ?? sentEmpty(template.metadata, 'labels'),
        '`selector` does not match template `labels`',
      ),
    );
  }
  return [...errors, ...checkLongRunningTemplate(template, field, 'ReplicaSet')];
}

/** The template of pods that always restart; `kind` is the workload's kind. */
export function checkLongRunningTemplate(template: PodTemplateSpec, field: string, kind: string): FieldError[] {
  return [...checkPodTemplateSpec(template, field), ...checkAlwaysRunning(template, field, kind)];
}

/** Pods of most workloads always restart, and have no end. */
export function checkAlwaysRunning(template: PodTemplateSpec | undefined, field: string, kind: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  const errors: FieldError[] = [];
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(`${field}.spec.restartPolicy`, asJson(restartPolicy ?? ''), ['Always']));
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField(`${field}.spec.activeDeadlineSeconds`, detail));
  }
  return errors;
}
