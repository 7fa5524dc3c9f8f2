import { invalidValue, matchLabelSelector, percentOf, percentProblems, ValueError } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { checkWorkloadTemplate } from '../core/pod-template-rules.ts';
import { checkLabelSelector, isEmptySelector } from '../label-selector-rules.ts';

/** The selector of a workload must be valid and not empty. */
export function checkWorkloadSelector(selector: LabelSelector | undefined | null, workload: string): FieldError[] {
  if (selector === undefined || selector === null) return []; // the type requires it
  const errors = checkLabelSelector(selector, 'spec.selector');
  if (isEmptySelector(selector)) {
    errors.push(invalidValue('spec.selector', selector, `empty selector is invalid for ${workload}`));
  }
  return errors;
}

/** Checks the template only if the selector is valid. */
export function checkSelectedTemplate(template: PodTemplateSpec, selector: LabelSelector | undefined): FieldError[] {
  if (selector !== undefined && matchLabelSelector(selector) instanceof ValueError) {
    return [invalidValue('spec.selector', selector, 'invalid label selector')];
  }
  return checkWorkloadTemplate(template, selector, 'spec.template');
}

interface Counts {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly observedGeneration?: number;
}

const NEGATIVE = 'must be greater than or equal to 0';

type Part = Exclude<keyof Counts, 'replicas' | 'observedGeneration'>;

const PARTS: readonly Part[] = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

/** Checks counts of pods; `parts` must not exceed their totals. */
export function checkReplicaCounts(status: Counts, parts: readonly Part[] = PARTS): FieldError[] {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors: FieldError[] = [];
  for (const name of [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'observedGeneration',
  ] as const) {
    const value = status[name] ?? 0;
    if (value < 0) errors.push(invalidValue(`status.${name}`, value, NEGATIVE));
  }
  for (const name of parts) {
    const value = status[name] ?? 0;
    if (value > replicas) errors.push(invalidValue(`status.${name}`, value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(invalidValue('status.availableReplicas', availableReplicas, 'cannot be greater than readyReplicas'));
  }
  return errors;
}

/** A count, or a percentage. */
export function checkCountOrPercent(value: number | string | undefined, field: string): FieldError[] {
  if (typeof value === 'number' && value < 0) return [invalidValue(field, value, 'must be greater than or equal to 0')];
  const problems = typeof value === 'string' ? percentProblems(value) : [];
  return problems.map((problem) => invalidValue(field, value, problem));
}

/** Limits a percentage to 100%. */
export function checkNotMoreThanAll(value: number | string | undefined, field: string): FieldError[] {
  if (value === undefined || (percentOf(value) ?? 0) <= 100) return [];
  return [invalidValue(field, value, 'must not be greater than 100%')];
}

/** Whether a number or percentage is zero. */
export function isNone(value: number | string | undefined): boolean {
  return value === undefined || value === 0 || (typeof value === 'string' && (percentOf(value) ?? 0) === 0);
}
