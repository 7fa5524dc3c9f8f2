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
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
}

const NEGATIVE = 'must be greater than or equal to 0';

export interface CountRules {
  /** The numbers that must not be negative, in upstream's order. */
  readonly counts: readonly (keyof Counts)[];
  /** Those that must not exceed the number of replicas. */
  readonly parts: readonly (keyof Counts)[];
  /** What messages call the pods that are ready. */
  readonly ready?: string;
}

/** Checks the counts of pods in a status. */
export function checkReplicaCounts(
  status: Counts,
  { counts, parts, ready = 'readyReplicas' }: CountRules,
): FieldError[] {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors: FieldError[] = [];
  for (const name of counts) {
    const value = status[name] ?? 0;
    if (value < 0) errors.push(invalidValue(`status.${name}`, value, NEGATIVE));
  }
  for (const name of parts) {
    const value = status[name] ?? 0;
    if (value > replicas) errors.push(invalidValue(`status.${name}`, value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(invalidValue('status.availableReplicas', availableReplicas, `cannot be greater than ${ready}`));
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
  if (typeof value !== 'string') return (value ?? 0) === 0;
  return (percentOf(value) ?? (/^[+-]?\d+$/.test(value) ? Number(value) : 0)) === 0;
}
