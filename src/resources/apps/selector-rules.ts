import { type FieldError, invalidValue, matchLabelSelector, ValueError } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { checkWorkloadTemplate } from '../core/pod-template-rules.ts';
import { checkLabelSelector, isEmptySelector } from '../label-selector-rules.ts';

/** The selector of a workload: well formed, and about something. */
export function checkWorkloadSelector(selector: LabelSelector | undefined | null, workload: string): FieldError[] {
  if (selector === undefined || selector === null) return []; // the type says that it is required
  const errors = checkLabelSelector(selector, 'spec.selector');
  if (isEmptySelector(selector)) {
    errors.push(invalidValue('spec.selector', selector, `empty selector is invalid for ${workload}`));
  }
  return errors;
}

/** A template is looked at only when it is known which pods are meant. */
export function checkSelectedTemplate(template: PodTemplateSpec, selector: LabelSelector | undefined): FieldError[] {
  if (selector !== undefined && matchLabelSelector(selector) instanceof ValueError) {
    return [invalidValue('spec.selector', selector, 'invalid label selector')];
  }
  return checkWorkloadTemplate(template, selector, 'spec.template');
}
