import { millisOfGoSeconds, ValueError } from '../../api/client.ts';
import {
  controllerReference,
  type CronSchedule,
  formatZoned,
  isControlledBy,
  isNamespaceTerminating,
  isTimeZone,
  zoneOffset,
} from '../../api/meaning/index.ts';
import { type Histogram, messageOf } from '../../base/index.ts';
import { CronJob, hasReason, type Job, type Observed, type Sendable } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { CronJobDraft } from './cronjob-draft.ts';
import { dueTime, EmptyScheduleError, untilNextMs } from './due-time.ts';
import { deleteJob, deleteOldJobs, endOf } from './finished-jobs.ts';

const SCHEDULED_TIME = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The dependencies of `syncCronJob`. */
export interface SyncTools {
  readonly cronJobs: Objects<CronJob>;
  readonly jobs: Objects<Job>;
  readonly nowMs: number;
  /** Delay between the scheduled time and the creation of a Job. */
  readonly skewSeconds: Histogram;
  schedule(text: string): CronSchedule | ValueError;
  event(details: EventDetails): void;
}

/** Starts the Job that is due, if any. Returns the delay until the next check, if known. */
export async function syncCronJob(
  cronJob: Observed<CronJob>,
  jobs: readonly Observed<Job>[],
  tools: SyncTools,
): Promise<number | undefined> {
  const draft = new CronJobDraft(cronJob);
  await deleteOldJobs(draft, jobs, tools);
  let failure: unknown;
  let afterMs: number | undefined;
  try {
    takeInJobs(draft, jobs, tools);
    await forgetMissingJobs(draft, jobs, tools);
    afterMs = await startDueJob(draft, tools);
  } catch (error) {
    failure = error;
  }
  await draft.write(tools.cronJobs);
  if (failure !== undefined) throw failure;
  return afterMs;
}

/** Updates the status from the Jobs that have finished. */
function takeInJobs(draft: CronJobDraft, jobs: readonly Observed<Job>[], { event }: SyncTools): void {
  for (const job of jobs) {
    const { name, uid } = job.metadata;
    const end = endOf(job);
    const isActive = draft.isActive(job);
    if (end === undefined) {
      const message = `Saw a job that the controller did not create or forgot: ${name}`;
      if (!isActive) event({ type: 'Warning', reason: 'UnexpectedJob', message });
      continue;
    }
    if (isActive) {
      draft.ended(uid);
      event({ reason: 'SawCompletedJob', message: `Saw completed job: ${name}, condition: ${end}` });
    }
    if (end === 'Complete') draft.succeededAt(job.status?.completionTime);
  }
}

async function forgetMissingJobs(
  draft: CronJobDraft,
  known: readonly Observed<Job>[],
  { jobs, event }: SyncTools,
): Promise<void> {
  const uids = new Set(known.map(({ metadata }) => metadata.uid));
  for (const { namespace = '', name = '', uid = '' } of draft.active) {
    if (uids.has(uid) || (await jobs.fetch(`${namespace}/${name}`)) !== undefined) continue;
    event({ reason: 'MissingJob', message: `Active job went missing: ${name}` });
    draft.ended(uid);
  }
}

async function startDueJob(draft: CronJobDraft, tools: SyncTools): Promise<number | undefined> {
  const { cronJob } = draft;
  const { nowMs, event } = tools;
  const { suspend, startingDeadlineSeconds } = cronJob.spec ?? {};
  if (cronJob.metadata.deletionTimestamp !== undefined) return undefined;
  const schedule = readSchedule(cronJob, tools);
  if (schedule === undefined || suspend === true) return undefined;
  const dueMs = readDueTime(cronJob, schedule, tools);
  if (dueMs === 'never') return undefined;
  const untilNext = (): number | undefined => untilNextMs(draft.cronJob, schedule, nowMs);
  if (dueMs === undefined) return untilNext();
  const deadlineMs = startingDeadlineSeconds === undefined ? Infinity : millisOfGoSeconds(startingDeadlineSeconds);
  if (dueMs + deadlineMs < nowMs) {
    const message = `Missed scheduled time to start a job: ${new Date(dueMs).toUTCString().replace('GMT', '+0000')}`;
    event({ type: 'Warning', reason: 'MissSchedule', message });
    return untilNext();
  }
  const isStarted = draft.active.some(({ name }) => name === jobNameFor(cronJob, dueMs));
  if (isStarted || Date.parse(cronJob.status?.lastScheduleTime ?? '') === dueMs) return untilNext();
  if (!(await makeRoom(draft, tools))) return untilNext();
  return (await startJob(draft, dueMs, tools)) ? untilNext() : undefined;
}

/** Parses the schedule with its time zone; reports a problem in an event. */
function readSchedule(cronJob: Observed<CronJob>, { schedule, event }: SyncTools): CronSchedule | undefined {
  const { schedule: text = '', timeZone, suspend } = cronJob.spec ?? {};
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    event({ type: 'Warning', reason: 'UnknownTimeZone', message });
    return undefined;
  }
  if (suspend === true) return undefined;
  if (text.includes('TZ')) {
    const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(text)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
    event({ type: 'Warning', reason: 'UnsupportedSchedule', message });
  }
  const parsed = schedule(scheduleText(cronJob));
  if (!(parsed instanceof ValueError)) return parsed;
  const message = `unparseable schedule: ${JSON.stringify(text)} : ${parsed.message}`;
  event({ type: 'Warning', reason: 'UnparseableSchedule', message });
  return undefined;
}

/** A time zone in the schedule itself takes precedence over the field. */
export function scheduleText({ spec }: Observed<CronJob>): string {
  const { schedule = '', timeZone } = spec ?? {};
  const isZoned = schedule.includes('TZ') || timeZone === undefined || !isTimeZone(timeZone);
  return isZoned ? schedule : `TZ=${timeZone} ${schedule}`;
}

function readDueTime(
  cronJob: Observed<CronJob>,
  schedule: CronSchedule,
  { nowMs, event }: SyncTools,
): number | 'never' | undefined {
  try {
    const { dueMs, missed } = dueTime(cronJob, schedule, nowMs);
    if (dueMs !== undefined && missed === 'many') {
      const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      event({ type: 'Warning', reason: 'TooManyMissedTimes', message });
    }
    return dueMs;
  } catch (error) {
    if (!(error instanceof EmptyScheduleError)) throw error;
    const message = `invalid schedule: ${cronJob.spec?.schedule} : ${error.message}`;
    event({ type: 'Warning', reason: 'InvalidSchedule', message });
    return 'never';
  }
}

/** Applies the concurrency policy; returns whether a new Job may start. */
async function makeRoom(draft: CronJobDraft, tools: SyncTools): Promise<boolean> {
  const { jobs, event } = tools;
  const { concurrencyPolicy } = draft.cronJob.spec ?? {};
  if (concurrencyPolicy === 'Forbid' && draft.active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    event({ reason: 'JobAlreadyActive', message });
    return false;
  }
  for (const { namespace = '', name = '' } of concurrencyPolicy === 'Replace' ? draft.active : []) {
    const job = await jobs.fetch(`${namespace}/${name}`);
    if (job === undefined) {
      const message = `jobs.batch "${name}" not found`;
      event({ type: 'Warning', reason: 'FailedGet', message: `Get job: ${message}` });
      throw new Error(message);
    }
    if (!(await deleteJob(draft, job, tools))) throw new Error(`could not replace job ${namespace}/${name}`);
  }
  return true;
}

/** Creates the Job for the time; returns whether it is active now. */
async function startJob(draft: CronJobDraft, dueMs: number, { jobs, event, skewSeconds }: SyncTools): Promise<boolean> {
  const { cronJob } = draft;
  const wanted = newJobFor(cronJob, dueMs);
  try {
    const job = await jobs.create(wanted);
    event({ reason: 'SuccessfulCreate', message: `Created job ${job.metadata.name}` });
    draft.started(job, dueMs);
    skewSeconds.observe((Date.parse(job.metadata.creationTimestamp) - dueMs) / 1000);
    return true;
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) {
      const message = `Error creating job: ${messageOf(error)}`;
      if (!isNamespaceTerminating(error)) event({ type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }
  const existing = await jobs.fetch(`${cronJob.metadata.namespace ?? ''}/${wanted.metadata?.name ?? ''}`);
  if (existing === undefined || !isControlledBy(existing, cronJob) || draft.isActive(existing)) return false;
  draft.started(existing, dueMs);
  return true;
}

/** The Job's name for a scheduled time, unique per minute, so that no time starts two Jobs. */
function jobNameFor({ metadata }: Observed<CronJob>, dueMs: number): string {
  return `${metadata.name}-${Math.floor(dueMs / 60_000)}`;
}

/** The Job that a CronJob starts for a time. */
function newJobFor(cronJob: Observed<CronJob>, dueMs: number): Sendable<Job> {
  const { jobTemplate, timeZone = '' } = cronJob.spec ?? {};
  const { labels, annotations } = jobTemplate?.metadata ?? {};
  return {
    metadata: {
      name: jobNameFor(cronJob, dueMs),
      namespace: cronJob.metadata.namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [SCHEDULED_TIME]: formatZoned(dueMs, zoneOffset(timeZone)) },
      ownerReferences: [controllerReference(cronJob, CronJob)],
    },
    ...(jobTemplate?.spec === undefined ? {} : { spec: jobTemplate.spec }),
  };
}
