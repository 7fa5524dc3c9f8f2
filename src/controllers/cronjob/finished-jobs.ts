import { compareUtf8, messageOf } from '../../base/index.ts';
import { type Job, keyOf, type Observed } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import type { CronJobDraft } from './cronjob-draft.ts';

/** Deletes the Jobs of a CronJob and records events. */
export interface JobWriter {
  readonly jobs: Objects<Job>;
  event(details: EventDetails): void;
}

/** The final condition of a finished Job. */
export function endOf({ status }: Observed<Job>): 'Complete' | 'Failed' | undefined {
  for (const { type, status: holds } of status?.conditions ?? [])
    if (holds === 'True' && (type === 'Complete' || type === 'Failed')) return type;
  return undefined;
}

/** Deletes the oldest finished Jobs beyond the history limits. */
export async function deleteOldJobs(
  draft: CronJobDraft,
  jobs: readonly Observed<Job>[],
  writer: JobWriter,
): Promise<void> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = draft.cronJob.spec ?? {};
  const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit };
  for (const [end, limit = Infinity] of Object.entries(limits)) {
    const ended = jobs.filter((job) => endOf(job) === end).toSorted(olderFirst);
    for (const job of ended.slice(0, Math.max(0, ended.length - limit))) await deleteJob(draft, job, writer);
  }
}

/** Deletes a Job and its pods; returns whether that succeeded. */
export async function deleteJob(draft: CronJobDraft, job: Observed<Job>, { jobs, event }: JobWriter): Promise<boolean> {
  const { name, uid } = job.metadata;
  try {
    await jobs.delete(keyOf(job), { propagationPolicy: 'Background' });
  } catch (error) {
    event({ type: 'Warning', reason: 'FailedDelete', message: `Deleted job: ${messageOf(error)}` });
    return false;
  }
  draft.ended(uid);
  event({ reason: 'SuccessfulDelete', message: `Deleted job ${name}` });
  return true;
}

function olderFirst(left: Observed<Job>, right: Observed<Job>): number {
  const startOf = ({ status }: Observed<Job>): number => Date.parse(status?.startTime ?? '9999-12-31T00:00:00Z');
  return startOf(left) - startOf(right) || compareUtf8(left.metadata.name, right.metadata.name);
}
