import { duplicate, internalForm, invalidValue, invalidWhole, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Job, JobStatus } from '../../api/types/batch/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import { countIndexes, overlapProblem } from './completed-indexes.ts';

type AnyJob = Whole<Job>;

/** Which parts of the status a write changes: rules hold only for what it touches, so that older mistakes do not block it. */
interface Touched {
  readonly complete: boolean;
  readonly failed: boolean;
  readonly finished: boolean;
  readonly failureTarget: boolean;
  readonly criteriaMet: boolean;
  readonly fields: ReadonlySet<keyof JobStatus>;
}

/** The rules of a job's status, whichever controller runs the job: its end is final, and counts and times agree with it. */
export function checkJobStatus(job: AnyJob, old: AnyJob): FieldError[] {
  const touched = whatIsTouched(job, old);
  return [
    ...checkCounts(job.status),
    ...checkUncounted(job.status),
    ...checkEnd(job, touched),
    ...checkIndexes(job, touched),
    ...checkRest(job, touched),
    ...checkTransitions(job, old, touched),
  ];
}

const FIELDS = [
  'completedIndexes',
  'failedIndexes',
  'active',
  'startTime',
  'completionTime',
  'uncountedTerminatedPods',
  'ready',
  'terminating',
] as const satisfies readonly (keyof JobStatus)[];

function whatIsTouched(job: AnyJob, old: AnyJob): Touched {
  const differs = (read: (one: AnyJob) => boolean): boolean => read(job) !== read(old);
  return {
    complete: differs(isComplete),
    failed: differs(isFailed),
    finished: differs(isFinished),
    failureTarget: differs((one) => holds(one, 'FailureTarget')),
    criteriaMet: differs((one) => holds(one, 'SuccessCriteriaMet')),
    fields: new Set(
      FIELDS.filter((name) => !deepEqual(job.status[name] ?? NONE[name], old.status[name] ?? NONE[name])),
    ),
  };
}

/** For these, absent is the same as nothing. */
const NONE: Partial<Record<keyof JobStatus, unknown>> = { completedIndexes: '', active: 0 };

function holds({ status }: AnyJob, type: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

function isComplete(job: AnyJob): boolean {
  return holds(job, 'Complete');
}

function isFailed(job: AnyJob): boolean {
  return holds(job, 'Failed');
}

function isFinished(job: AnyJob): boolean {
  return isComplete(job) || isFailed(job);
}

function checkCounts(status: JobStatus): FieldError[] {
  return (['active', 'succeeded', 'failed', 'ready', 'terminating'] as const).flatMap((name) => {
    const value = status[name] ?? 0;
    return value < 0 ? [invalidValue(`status.${name}`, value, 'must be greater than or equal to 0')] : [];
  });
}

function checkUncounted({ uncountedTerminatedPods: uncounted }: JobStatus): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((name) =>
    (uncounted?.[name] ?? []).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === '') return [invalidValue(field, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** Conditions, times and counts that go with a finished job. */
function checkEnd(job: AnyJob, touched: Touched): FieldError[] {
  const { status, spec } = job;
  const { startTime, completionTime, uncountedTerminatedPods: uncounted } = status;
  const { fields } = touched;
  const complete = isComplete(job);
  const finished = isFinished(job);
  const errors: FieldError[] = [];
  const condition = (detail: string): number => errors.push(invalidWhole('status.conditions', detail));
  const ended = 'status.completionTime';
  if ((touched.complete || touched.failed) && complete && isFailed(job)) {
    condition('cannot set Complete=True and Failed=true conditions');
  }
  if ((touched.complete || touched.failureTarget) && complete && holds(job, 'FailureTarget')) {
    condition('cannot set Complete=True and FailureTarget=true conditions');
  }
  if (touched.complete || fields.has('completionTime')) {
    const early = 'cannot set completionTime when there is no Complete=True condition';
    if (completionTime !== undefined && !complete) errors.push(invalidValue(ended, completionTime, early));
    if (completionTime === undefined && complete) {
      errors.push(required(ended, 'completionTime is required for Complete jobs'));
    }
  }
  const hasTimes = startTime !== undefined && completionTime !== undefined;
  if ((fields.has('startTime') || fields.has('completionTime')) && hasTimes && completionTime < startTime) {
    errors.push(invalidValue(ended, completionTime, 'must be equal to or after `startTime`'));
  }
  if ((touched.failed || fields.has('failedIndexes')) && isFailed(job) && !holds(job, 'FailureTarget')) {
    condition('cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if ((touched.complete || touched.criteriaMet) && complete && !holds(job, 'SuccessCriteriaMet')) {
    condition('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
  if (!finished) return errors;
  const { active = 0 } = status;
  if ((touched.finished || fields.has('active')) && active > 0) {
    errors.push(invalidValue('status.active', active, 'active>0 is invalid for finished job'));
  }
  const isEmptyAndSuspended = spec.suspend === true && spec.completions === 0;
  if ((touched.finished || fields.has('startTime')) && !isEmptyAndSuspended && startTime === undefined) {
    errors.push(required('status.startTime', 'startTime is required for finished job'));
  }
  const left = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
  if ((touched.finished || fields.has('uncountedTerminatedPods')) && left > 0) {
    const shown = internalForm(uncounted, 'batch.v1.UncountedTerminatedPods');
    errors.push(invalidValue('status.uncountedTerminatedPods', shown, 'must be empty for finished job'));
  }
  return errors;
}

function checkIndexes({ spec, status }: AnyJob, { fields }: Touched): FieldError[] {
  const { completedIndexes: completed = '', failedIndexes: failed } = status;
  const { completions, backoffLimitPerIndex } = spec;
  const errors: FieldError[] = [];
  const done = 'status.completedIndexes';
  const lost = 'status.failedIndexes';
  const check = (field: string, text: string): void => {
    const counted = countIndexes(text, completions ?? 0);
    if (typeof counted === 'number') return;
    errors.push(invalidValue(field, text, `error parsing ${field.slice('status.'.length)}: ${counted}`));
  };
  if (fields.has('completedIndexes') && completions !== undefined) check(done, completed);
  const hasLimit = completions !== undefined && backoffLimitPerIndex !== undefined;
  if (fields.has('failedIndexes') && hasLimit && failed !== undefined) check(lost, failed);
  if (fields.has('completedIndexes') && completed !== '' && spec.completionMode !== 'Indexed') {
    errors.push(
      invalidValue(done, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode'),
    );
  }
  if (failed === undefined) return errors;
  if (fields.has('failedIndexes') && backoffLimitPerIndex === undefined) {
    errors.push(invalidValue(lost, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'));
  }
  if (completions === undefined || !(fields.has('failedIndexes') || fields.has('completedIndexes'))) return errors;
  const overlap = overlapProblem(completed, failed, completions);
  if (overlap !== undefined) errors.push(invalidValue(lost, failed, overlap));
  return errors;
}

function checkRest(job: AnyJob, { fields, finished }: Touched): FieldError[] {
  const { ready = 0, active = 0, terminating = 0 } = job.status;
  const met = holds(job, 'SuccessCriteriaMet');
  const errors: FieldError[] = [];
  const condition = (detail: string): number => errors.push(invalidWhole('status.conditions', detail));
  if ((finished || fields.has('terminating')) && terminating > 0 && isFinished(job)) {
    errors.push(invalidValue('status.terminating', terminating, 'terminating>0 is invalid for finished job'));
  }
  if ((fields.has('ready') || fields.has('active')) && job.status.ready !== undefined && ready > active) {
    errors.push(invalidValue('status.ready', ready, 'cannot set more ready pods than active'));
  }
  if (met && isFailed(job)) condition('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && holds(job, 'FailureTarget')) {
    condition('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  if (job.spec.successPolicy !== undefined && !met && isComplete(job)) {
    condition('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
  return errors;
}

/** What may not be undone. */
function checkTransitions(job: AnyJob, old: AnyJob, { fields }: Touched): FieldError[] {
  const errors: FieldError[] = [];
  const condition = (detail: string): number => errors.push(invalidWhole('status.conditions', detail));
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (holds(old, type) && !holds(job, type)) condition(`cannot disable the terminal ${type}=True condition`);
  }
  const { failed = 0, succeeded = 0, completionTime, startTime } = job.status;
  if (failed < (old.status.failed ?? 0)) {
    errors.push(invalidValue('status.failed', failed, 'cannot decrease the failed counter'));
  }
  const { completionMode, completions, parallelism, suspend } = job.spec;
  const mayShrink = completionMode === 'Indexed' && completions === parallelism;
  if (!mayShrink && succeeded < (old.status.succeeded ?? 0)) {
    errors.push(invalidValue('status.succeeded', succeeded, 'cannot decrease the succeeded counter'));
  }
  const wasCompletedAt = old.status.completionTime;
  if (completionTime !== undefined && wasCompletedAt !== undefined && completionTime !== wasCompletedAt) {
    errors.push(invalidValue('status.completionTime', completionTime, 'field is immutable'));
  }
  const isResuming =
    holds(old, 'Suspended') &&
    job.status.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'False');
  if (fields.has('startTime') && isResuming !== true && old.status.startTime !== undefined && suspend !== true) {
    errors.push(invalidValue('status.startTime', startTime ?? null, 'field is immutable for unsuspended job once set'));
  }
  const wasMet = holds(old, 'SuccessCriteriaMet');
  const isMet = holds(job, 'SuccessCriteriaMet');
  if (wasMet && !isMet) condition('cannot disable the SuccessCriteriaMet=True condition');
  if (isComplete(old) && !wasMet && isMet) {
    condition('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
  return errors;
}
