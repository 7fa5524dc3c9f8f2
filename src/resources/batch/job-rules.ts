import {
  asJson,
  dns1123LabelProblems,
  internalForm,
  invalidValue,
  matchLabelSelector,
  required,
  ValueError,
  sentEmpty,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Job, JobSpec } from '../../api/types/batch/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { checkJobSpec } from './job-spec-rules.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';

export function checkJob(job: Whole<Job>, old: Whole<Job> | undefined): FieldError[] {
  return [...checkGeneratedLabels(job, hasPrefixedLabels(old)), ...checkSelectedSpec(job.spec), ...checkHostNames(job)];
}

/** A job that was stored without the labels with a prefix need not get them. */
function hasPrefixedLabels(old: Whole<Job> | undefined): boolean {
  if (old === undefined) return true;
  const labels = old.spec.template.metadata?.labels;
  return labels?.[CONTROLLER_UID] !== undefined && labels[JOB_NAME] !== undefined;
}

/** Without a manual selector, a job's pods need the job's own unique labels. */
function checkGeneratedLabels({ metadata, spec }: Whole<Job>, needsPrefixed: boolean): FieldError[] {
  const { name = '', uid = '' } = metadata;
  const labels = spec.template.metadata?.labels;
  const field = 'spec.template.metadata.labels';
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const expected = {
    'controller-uid': uid,
    'job-name': name,
    ...(needsPrefixed ? { [CONTROLLER_UID]: uid, [JOB_NAME]: name } : {}),
  };
  const errors = Object.entries(expected).flatMap(([key, value]) => {
    if (labels?.[key] === value) return [];
    if (labels?.[key] === undefined) return [required(`${field}[${key}]`, `must be '${value}'`)];
    return [invalidValue(`${field}[${key}]`, labels, `must be '${value}'`)];
  });
  const matcher = matchLabelSelector(spec.selector);
  if (!(matcher instanceof ValueError) && !matcher.matches(expected)) {
    errors.push(invalidValue('spec.selector', spec.selector ?? null, '`selector` not auto-generated'));
  }
  return errors;
}

function checkSelectedSpec(spec: JobSpec): FieldError[] {
  const errors = checkJobSpec(spec, 'spec');
  if (spec.selector === undefined) errors.push(required('spec.selector'));
  else errors.push(...checkLabelSelector(spec.selector, 'spec.selector'));
  const matcher = matchLabelSelector(spec.selector);
  const labels = spec.template?.metadata?.labels;
  if (!(matcher instanceof ValueError) && !matcher.matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(
      invalidValue('spec.template.metadata.labels', labels ?? sentEmpty(spec.template?.metadata, 'labels'), detail),
    );
  }
  return errors;
}

/** Pods of an indexed job are named by their index. */
function checkHostNames({ metadata, spec }: Whole<Job>): FieldError[] {
  const { completions = 0 } = spec;
  if (spec.completionMode !== 'Indexed' || completions === 0) return [];
  const longest = `${metadata.name ?? ''}-${completions - 1}`;
  if (dns1123LabelProblems(longest).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalidValue('metadata.name', metadata.name ?? '', detail)];
}

const FIXED = [
  'selector',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const satisfies readonly (keyof JobSpec)[];

const IMMUTABLE = 'field is immutable';

export function checkJobChange(job: Whole<Job>, old: Whole<Job>): FieldError[] {
  const { spec } = job;
  const was = old.spec;
  const errors = [...checkSelectedSpec(spec), ...checkCompletions(spec, was)];
  for (const name of FIXED) {
    if (!deepEqual(spec[name], was[name]))
      errors.push(invalidValue(`spec.${name}`, shown(name, spec[name]), IMMUTABLE));
    if (name === 'selector') errors.push(...checkTemplateUpdate(job, old));
  }
  return errors;
}

const TYPES: Readonly<Record<string, string>> = {
  podFailurePolicy: 'batch.v1.PodFailurePolicy',
  successPolicy: 'batch.v1.SuccessPolicy',
};

function shown(name: string, value: unknown): unknown {
  const type = TYPES[name];
  if (typeof value === 'string') return asJson(value);
  return value === undefined || type === undefined ? (value ?? null) : internalForm(value, type);
}

/** Only an indexed job may change its completions, and only together with its parallelism. */
function checkCompletions(spec: JobSpec, was: JobSpec): FieldError[] {
  if (spec.completions === was.completions) return [];
  const field = 'spec.completions';
  if (spec.completionMode !== 'Indexed') return [invalidValue(field, spec.completions ?? null, IMMUTABLE)];
  if (spec.completions !== undefined && spec.completions === spec.parallelism) return [];
  return [invalidValue(field, spec.completions ?? null, 'can only be modified in tandem with spec.parallelism')];
}

/** While a job is suspended without running pods, its scheduling fields and resources may change. */
function checkTemplateUpdate({ spec }: Whole<Job>, old: Whole<Job>): FieldError[] {
  const { template } = spec;
  const was = old.spec.template;
  if (!isResting(old)) {
    return deepEqual(template, was)
      ? []
      : [invalidValue('spec.template', internalForm(template, 'core.v1.PodTemplateSpec'), IMMUTABLE)];
  }
  if (deepEqual(fixedParts(template), fixedParts(was))) return [];
  return [invalidValue('spec.template.spec', internalForm(template.spec, 'core.v1.PodSpec'), IMMUTABLE)];
}

function isResting({ spec, status }: Whole<Job>): boolean {
  const isSuspended = (status.conditions ?? []).some((item) => item.type === 'Suspended' && item.status === 'True');
  return spec.suspend === true && (status.startTime === undefined || isSuspended) && (status.active ?? 0) === 0;
}

function fixedParts({ spec }: PodTemplateSpec): unknown {
  const {
    nodeSelector: _1,
    tolerations: _2,
    schedulingGates: _3,
    affinity,
    containers,
    initContainers,
    ...rest
  } = spec ?? {};
  const { nodeAffinity: _4, ...otherAffinity } = affinity ?? {};
  const unsized = (list: readonly object[] | undefined): unknown =>
    list?.map((container) => ({ ...container, resources: undefined }));
  return { ...rest, affinity: otherAffinity, containers: unsized(containers), initContainers: unsized(initContainers) };
}
