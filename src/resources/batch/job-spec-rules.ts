import {
  asJson,
  duplicate,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  required,
  sentEmpty,
  tooLong,
  tooMany,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../../api/types/batch/v1.d.ts';
import { checkPodTemplateSpec } from '../core/pod-template-rules.ts';
import { checkDomainPath } from '../domain-path-rules.ts';
import { firstIndexes } from '../first-indexes.ts';
import { countIndexes } from './completed-indexes.ts';

const NEGATIVE = 'must be greater than or equal to 0';
const MAX_MANAGER_BYTES = 63;

/** The numbers of a job that may not be negative, in upstream's order. */
const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const satisfies readonly (keyof JobSpec)[];

/** The rules of a job, also inside a CronJob. */
export function checkJobSpec(spec: JobSpec, field: string): FieldError[] {
  const { managedBy, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const isUnlimited = maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined;
  return [
    ...COUNTS.flatMap((name) =>
      (spec[name] ?? 0) < 0 ? [invalidValue(`${field}.${name}`, spec[name], NEGATIVE)] : [],
    ),
    ...(isUnlimited ? [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')] : []),
    ...(managedBy === undefined ? [] : checkManager(managedBy, `${field}.managedBy`)),
    ...checkIndexing(spec, field),
    ...checkFailurePolicy(spec, `${field}.podFailurePolicy`),
    ...checkSuccessPolicy(spec, `${field}.successPolicy`),
    ...checkReplacementPolicy(spec, `${field}.podReplacementPolicy`),
    ...checkPodTemplateSpec(spec.template ?? {}, `${field}.template`),
    ...checkRestartPolicy(spec, `${field}.template.spec.restartPolicy`),
  ];
}

function checkManager(name: string, field: string): FieldError[] {
  const errors = checkDomainPath(name, field);
  return Buffer.byteLength(name) > MAX_MANAGER_BYTES ? [...errors, tooLong(field, MAX_MANAGER_BYTES)] : errors;
}

const MODES = ['NonIndexed', 'Indexed'];
const MAX_PARALLELISM = 100_000;
const MAX_FAILED = 100_000;
/** Above this many completions, a limit of failures per index needs tighter bounds. */
const MANY_COMPLETIONS = 100_000;
const MAX_OF_MANY = 10_000;

function checkIndexing(spec: JobSpec, field: string): FieldError[] {
  const { completionMode: mode } = spec;
  if (mode === 'Indexed') return checkIndexedJob(spec, field);
  if (mode !== undefined && mode !== 'NonIndexed')
    return [notSupported(`${field}.completionMode`, asJson(mode), MODES)];
  return (['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
    .filter((name) => spec[name] !== undefined)
    .map((name) => invalidValue(`${field}.${name}`, spec[name], 'requires indexed completion mode'));
}

function checkIndexedJob(spec: JobSpec, field: string): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes: failed, backoffLimitPerIndex } = spec;
  const errors: FieldError[] = [];
  const bound = (name: 'parallelism' | 'maxFailedIndexes', words: string): number =>
    errors.push(invalidValue(`${field}.${name}`, spec[name], `must be less than or equal to ${words}`));
  if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  if (parallelism > MAX_PARALLELISM) bound('parallelism', `${MAX_PARALLELISM} when completion mode is Indexed`);
  if (completions !== undefined && failed !== undefined && failed > completions) {
    bound('maxFailedIndexes', 'completions');
  }
  if (failed !== undefined && failed > MAX_FAILED) bound('maxFailedIndexes', String(MAX_FAILED));
  if ((completions ?? 0) <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return errors;
  const detail = `must be specified when completions is above ${MANY_COMPLETIONS}`;
  if (failed === undefined) errors.push(required(`${field}.maxFailedIndexes`, detail));
  const many = `${MAX_OF_MANY} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (parallelism > MAX_OF_MANY) bound('parallelism', many);
  if (failed !== undefined && failed > MAX_OF_MANY) bound('maxFailedIndexes', many);
  return errors;
}

function checkReplacementPolicy(
  { podReplacementPolicy: policy, podFailurePolicy }: JobSpec,
  field: string,
): FieldError[] {
  const choices = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return policy === undefined || choices.includes(policy) ? [] : [notSupported(field, asJson(policy), choices)];
}

function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never')
    return [notSupported(field, asJson(policy), ['OnFailure', 'Never'])];
  if (podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** How failed pods affect the job. */
function checkFailurePolicy(spec: JobSpec, field: string): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const errors = rules.length > MAX_RULES ? [tooMany(`${field}.rules`, rules.length, MAX_RULES)] : [];
  return [...errors, ...rules.flatMap((rule, index) => checkRule(rule, `${field}.rules[${index}]`, spec))];
}

/** A choice whose absence is explained by the choices. */
function checkWord(word: string, field: string, choices: readonly string[]): FieldError[] {
  if (choices.includes(word)) return [];
  if (word !== '') return [notSupported(field, asJson(word), choices)];
  return [required(field, `valid values: [${choices.map((choice) => `"${choice}"`).join(' ')}]`)];
}

function checkRule(rule: PodFailurePolicyRule, field: string, spec: JobSpec): FieldError[] {
  const { onExitCodes, onPodConditions = [] } = rule;
  const action: string = rule.action ?? '';
  const errors = checkWord(action, `${field}.action`, ACTIONS);
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  }
  if (onExitCodes !== undefined) errors.push(...checkExitCodes(onExitCodes, `${field}.onExitCodes`, spec));
  if (onPodConditions.length > MAX_CONDITIONS) {
    errors.push(tooMany(`${field}.onPodConditions`, onPodConditions.length, MAX_CONDITIONS));
  }
  errors.push(
    ...onPodConditions.flatMap((pattern, index) => checkPattern(pattern, `${field}.onPodConditions[${index}]`)),
  );
  const hasConditions = onPodConditions.length > 0;
  if ((onExitCodes !== undefined) !== hasConditions) return errors;
  const detail = hasConditions
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  return [...errors, { reason: 'FieldValueInvalid', field, detail }];
}

function checkPattern({ type = '', status }: PodFailurePolicyOnPodConditionsPattern, field: string): FieldError[] {
  return [
    ...qualifiedNameProblems(type).map((problem) => invalidValue(`${field}.type`, type, problem)),
    ...checkWord(status ?? '', `${field}.status`, STATUSES),
  ];
}

function checkExitCodes(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  field: string,
  { template }: JobSpec,
): FieldError[] {
  const { operator, containerName, values } = requirement;
  const codes = values ?? [];
  const containers = [...(template?.spec?.containers ?? []), ...(template?.spec?.initContainers ?? [])];
  const errors = checkWord(operator ?? '', `${field}.operator`, OPERATORS);
  if (containerName !== undefined && !containers.some(({ name }) => name === containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${field}.containerName`, containerName, detail));
  }
  const at = `${field}.values`;
  if (codes.length === 0)
    errors.push(invalidValue(at, values ?? sentEmpty(requirement, 'values'), 'at least one value is required'));
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

const MAX_INDEXES_BYTES = 64 * 1024;

/** When a job succeeds although not every index did. */
function checkSuccessPolicy(spec: JobSpec, field: string): FieldError[] {
  const { successPolicy } = spec;
  if (successPolicy === undefined) return [];
  const rules = successPolicy.rules ?? [];
  if (spec.completionMode !== 'Indexed') {
    return [
      invalidValue(
        field,
        { Rules: successPolicy.rules?.map(shownRule) ?? sentEmpty(successPolicy, 'rules') },
        'requires indexed completion mode',
      ),
    ];
  }
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    errors.push(required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(`${field}.rules`, rules.length, MAX_RULES));
  return [
    ...errors,
    ...rules.flatMap((rule, index) => checkSuccessRule(rule, `${field}.rules[${index}]`, spec.completions ?? 0)),
  ];
}

/** A rule by the names of upstream's internal type. */
function shownRule({ succeededIndexes = null, succeededCount = null }: Partial<Shown>): unknown {
  return { SucceededIndexes: succeededIndexes, SucceededCount: succeededCount };
}

interface Shown {
  readonly succeededIndexes: string | null;
  readonly succeededCount: number | null;
}

function checkSuccessRule(rule: SuccessPolicyRule, field: string, completions: number): FieldError[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  const errors: FieldError[] = [];
  if (count === undefined && indexes === undefined) {
    errors.push(required(field, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (indexes !== undefined) {
    const at = `${field}.succeededIndexes`;
    if (Buffer.byteLength(indexes) > MAX_INDEXES_BYTES) errors.push(tooLong(at, MAX_INDEXES_BYTES));
    const counted = countIndexes(indexes, completions);
    if (typeof counted === 'number') total = counted;
    else errors.push(invalidValue(at, indexes, `error parsing succeededIndexes: ${counted}`));
  }
  if (count === undefined) return errors;
  const at = `${field}.succeededCount`;
  const most = (limit: number, what: string): string =>
    `must be less than or equal to ${limit} (the number of ${what})`;
  if (count < 0) errors.push(invalidValue(at, count, NEGATIVE));
  if (count > completions) errors.push(invalidValue(at, count, most(completions, 'specified completions')));
  if (indexes !== undefined && count > total) {
    errors.push(invalidValue(at, count, most(total, 'indexes in the specified succeededIndexes field')));
  }
  return errors;
}
