import {
  dns1123LabelProblems,
  duplicate,
  invalidValue,
  matchLabelSelector,
  notSupported,
  required,
  tooMany,
  ValueError,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  Job,
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../api/types/batch/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { checkPodTemplateSpec } from '../core/pod-template-rules.ts';
import type { Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { firstIndexes } from '../first-indexes.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';

export function checkJob(job: Whole<Job>): FieldError[] {
  return [...checkGeneratedLabels(job), ...checkSelectedSpec(job.spec), ...checkHostNames(job)];
}

/** Without a manual selector, a job's pods need the job's own unique labels. */
function checkGeneratedLabels({ metadata, spec }: Whole<Job>): FieldError[] {
  const { name = '', uid = '' } = metadata;
  const labels = spec.template.metadata?.labels;
  const field = 'spec.template.metadata.labels';
  if (spec.manualSelector === true) return [];
  const expected = { 'controller-uid': uid, 'job-name': name, [CONTROLLER_UID]: uid, [JOB_NAME]: name };
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
  const labels = spec.template.metadata?.labels;
  if (!(matcher instanceof ValueError) && !matcher.matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, detail));
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
  return [invalidValue('metadata.name', metadata.name, detail)];
}

const MAX_PARALLELISM = 100_000;

/** The rules of a job, also inside a CronJob. */
export function checkJobSpec(spec: JobSpec, field: string): FieldError[] {
  const { template } = spec;
  return [
    ...checkIndexing(spec, field),
    ...checkFailurePolicy(spec, `${field}.podFailurePolicy`),
    ...checkSuccessPolicy(spec, `${field}.successPolicy`),
    ...(spec.podFailurePolicy !== undefined && (spec.podReplacementPolicy ?? 'Failed') !== 'Failed'
      ? [notSupported(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, ['Failed'])]
      : []),
    ...checkPodTemplateSpec(template, `${field}.template`),
    ...checkRestartPolicy(spec, `${field}.template.spec.restartPolicy`),
  ];
}

function checkIndexing(spec: JobSpec, field: string): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const errors: FieldError[] = [];
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (spec.completionMode !== 'Indexed') {
    const detail = 'requires indexed completion mode';
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[name] !== undefined) errors.push(invalidValue(`${field}.${name}`, spec[name], detail));
    }
    return errors;
  }
  if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  if (parallelism > MAX_PARALLELISM) {
    const detail = `must be less than or equal to ${MAX_PARALLELISM} when completion mode is Indexed`;
    errors.push(invalidValue(`${field}.parallelism`, parallelism, detail));
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    errors.push(
      invalidValue(`${field}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions'),
    );
  }
  return errors;
}

function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  const policy = template.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(field, policy, ['OnFailure', 'Never'])];
  if (podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
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

export function checkJobUpdate(job: Whole<Job>, old: Whole<Job>): FieldError[] {
  const { spec } = job;
  const was = old.spec;
  const errors = [...checkGeneratedLabels(job), ...checkSelectedSpec(spec), ...checkCompletions(spec, was)];
  for (const name of FIXED) {
    if (!deepEqual(spec[name], was[name])) errors.push(invalidValue(`spec.${name}`, spec[name] ?? null, IMMUTABLE));
    if (name === 'selector') errors.push(...checkTemplateUpdate(job, old));
  }
  return errors;
}

/** Only an indexed job may change its completions, and only together with its parallelism. */
function checkCompletions(spec: JobSpec, was: JobSpec): FieldError[] {
  if (spec.completions === was.completions) return [];
  const field = 'spec.completions';
  if (was.completionMode !== 'Indexed') return [invalidValue(field, spec.completions ?? null, IMMUTABLE)];
  if (spec.completions !== undefined && spec.completions === spec.parallelism) return [];
  return [invalidValue(field, spec.completions ?? null, 'can only be modified in tandem with spec.parallelism')];
}

/** While a job is suspended without running pods, its scheduling fields and resources may change. */
function checkTemplateUpdate({ spec }: Whole<Job>, old: Whole<Job>): FieldError[] {
  const { template } = spec;
  const was = old.spec.template;
  if (!isResting(old)) {
    return deepEqual(template, was) ? [] : [invalidValue('spec.template', template, IMMUTABLE)];
  }
  if (deepEqual(fixedParts(template), fixedParts(was))) return [];
  return [invalidValue('spec.template.spec', template.spec ?? null, IMMUTABLE)];
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

export function checkJobStatus({ status }: Whole<Job>): FieldError[] {
  return (['active', 'succeeded', 'failed', 'ready', 'terminating'] as const).flatMap((name) => {
    const value = status[name] ?? 0;
    return value < 0 ? [invalidValue(`status.${name}`, value, 'must be greater than or equal to 0')] : [];
  });
}

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;

/** How failed pods affect the job. */
function checkFailurePolicy(spec: JobSpec, field: string): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const errors = rules.length > MAX_RULES ? [tooMany(`${field}.rules`, rules.length, MAX_RULES)] : [];
  return [...errors, ...rules.flatMap((rule, index) => checkRule(rule, `${field}.rules[${index}]`, spec))];
}

function checkRule(rule: PodFailurePolicyRule, field: string, spec: JobSpec): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const errors: FieldError[] = [];
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  }
  if (onExitCodes !== undefined) errors.push(...checkExitCodes(onExitCodes, `${field}.onExitCodes`, spec));
  if (onPodConditions.length > MAX_CONDITIONS) {
    errors.push(tooMany(`${field}.onPodConditions`, onPodConditions.length, MAX_CONDITIONS));
  }
  const hasConditions = onPodConditions.length > 0;
  if ((onExitCodes !== undefined) !== hasConditions) return errors;
  const detail = hasConditions
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  return [...errors, { reason: 'FieldValueInvalid', field, detail }];
}

function checkExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  field: string,
  { template }: JobSpec,
): FieldError[] {
  const codes = values ?? [];
  const containers = [...(template.spec?.containers ?? []), ...(template.spec?.initContainers ?? [])];
  const errors: FieldError[] = [];
  if (containerName !== undefined && !containers.some(({ name }) => name === containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${field}.containerName`, containerName, detail));
  }
  const at = `${field}.values`;
  if (codes.length === 0) errors.push(invalidValue(at, codes, 'at least one value is required'));
  if (codes.length > MAX_EXIT_CODES) errors.push(tooMany(at, codes.length, MAX_EXIT_CODES));
  const first = firstIndexes(codes);
  for (const [index, code] of codes.entries()) {
    if (operator === 'In' && code === 0) {
      errors.push(invalidValue(`${at}[${index}]`, code, 'must not be 0 for the In operator'));
    }
    if (first.get(code) !== index) errors.push(duplicate(`${at}[${index}]`, code));
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? 0) <= code);
  return isOrdered ? errors : [...errors, invalidValue(at, codes, 'must be ordered')];
}

/** When a job succeeds although not every index did. */
function checkSuccessPolicy(spec: JobSpec, field: string): FieldError[] {
  const { successPolicy, completions = 0 } = spec;
  if (successPolicy === undefined) return [];
  const rules = successPolicy.rules ?? [];
  if (spec.completionMode !== 'Indexed') {
    return [invalidValue(field, { Rules: rules }, 'requires indexed completion mode')];
  }
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    errors.push(required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(`${field}.rules`, rules.length, MAX_RULES));
  for (const [index, { succeededCount, succeededIndexes }] of rules.entries()) {
    const at = `${field}.rules[${index}]`;
    if (succeededCount === undefined && succeededIndexes === undefined) {
      errors.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'));
    }
    if (succeededCount !== undefined && succeededCount > completions) {
      const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
      errors.push(invalidValue(`${at}.succeededCount`, succeededCount, detail));
    }
  }
  return errors;
}
