import { invalidValue } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
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
