import type { Job, Pod } from '../../client/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { tallyIndexes } from './index-tally.ts';
import { JobDraft } from './job-draft.ts';
import { COMPLETIONS_REACHED, type EndFacts, type JobEnd, jobEnd, untilDeadlineMs } from './job-end.ts';
import { type JobView, viewJob } from './job-view.ts';
import { countPods, managePods, type PodCounts, type PodPlan, withoutPods } from './manage-pods.ts';
import { type Failures, withEnded } from './pod-backoff.ts';
import { tallyPods } from './pod-tally.ts';
import { deletePods } from './pod-writes.ts';
import { letPodsGo, nameEndedPods } from './track-pods.ts';

/** What bringing a Job up to date needs. */
export interface SyncTools {
  readonly jobs: Objects<Job>;
  readonly pods: Objects<Pod>;
  readonly clock: Clock;
  /** Failures known so far, since the last success. */
  readonly failures: Failures;
  event(details: EventDetails): void;
  /** Has the Job looked at again after so long. */
  after(ms: number): void;
  /** Takes in how many failures there are, as soon as the status tells of them. */
  remember(failures: Failures): void;
}

/** Makes the pods of a Job what they should be, and its status what they are. */
export async function syncJob(job: Observed<Job>, pods: readonly Observed<Pod>[], tools: SyncTools): Promise<void> {
  const { clock } = tools;
  const view = viewJob(job);
  const draft = new JobDraft(job, tools);
  const tally = tallyPods(view, pods);
  const indexes = view.isIndexed ? tallyIndexes(view, tally) : undefined;
  const failures = withEnded(tools.failures, { succeeded: tally.newlySucceeded, failed: tally.newlyFailed });
  if (draft.status.startTime === undefined && !view.isSuspended) draft.status.startTime = draft.now;

  const nowMs = clock.now();
  const facts = { view, tally, indexes, status: draft.status, nowMs };
  const plan = { view, tally, indexes, failures, nowMs };
  const decided = jobEnd(facts);
  const { counts, end, failure } =
    decided === undefined ? await goOn(draft, { facts, plan }, tools) : await stop(decided, plan, tools);
  draft.set({ ...counts });

  const { leaving, hasMore } = nameEndedPods(draft, { view, pods, indexes, end });
  await draft.write();
  tools.remember(failures);
  const stuck = await letPodsGo(draft, { pods, leaving }, tools);
  const isFinished = stuck === undefined && !hasMore && end !== undefined && finish(draft, end);
  await draft.write();
  if (isFinished) tellEnd(draft, { view, end }, tools);
  const problem = stuck ?? failure;
  if (problem !== undefined) throw problem;
}

interface Step {
  readonly counts: PodCounts;
  readonly end: JobEnd | undefined;
  readonly failure: unknown;
}

/** Deletes the pods of a Job that ends. It cannot end before that has worked. */
async function stop(end: JobEnd, { tally }: PodPlan, tools: SyncTools): Promise<Step> {
  const { done, failure } = await deletePods(tally.active, tools);
  const areAllDeleted = done.length === tally.active.length;
  return { counts: withoutPods(countPods(tally), done), end: areAllDeleted ? end : undefined, failure };
}

/** Creates or deletes pods of a Job that goes on, unless that makes it complete. */
async function goOn(
  draft: JobDraft,
  { facts, plan }: { readonly facts: EndFacts; readonly plan: PodPlan },
  tools: SyncTools,
): Promise<Step> {
  const { view, tally, indexes } = plan;
  const isDeleted = view.job.metadata.deletionTimestamp !== undefined;
  const leftMs = untilDeadlineMs(facts);
  if (leftMs !== undefined) tools.after(leftMs);
  const { counts, failure, afterMs } = isDeleted ? { counts: countPods(tally) } : await managePods(plan, tools);
  if (afterMs !== undefined) tools.after(afterMs);
  const succeeded = indexes?.succeeded.size ?? tally.succeeded;
  if (counts.active === 0 && succeeded >= (view.completions ?? 1)) return { counts, end: COMPLETIONS_REACHED, failure };
  if (!isDeleted) tellSuspension(draft, view, tools);
  return { counts, end: undefined, failure };
}

/** The time that a Job has counts from when it was last resumed. */
function tellSuspension(draft: JobDraft, { isSuspended }: JobView, { event }: SyncTools): void {
  const type = 'Suspended';
  if (isSuspended) {
    const message = 'Job suspended';
    if (!draft.say({ type, status: 'True', reason: 'JobSuspended', message })) return;
    event({ reason: 'Suspended', message });
    delete draft.status.startTime;
  } else {
    const message = 'Job resumed';
    if (!draft.say({ type, status: 'False', reason: 'JobResumed', message })) return;
    event({ reason: 'Resumed', message });
    draft.status.startTime = draft.now;
  }
}

/** Ends the Job if nothing is left of its pods to be waited for; tells whether it has ended. */
function finish(draft: JobDraft, { outcome, reason, message }: JobEnd): boolean {
  const { succeeded, failed } = draft.uncounted;
  if (succeeded.length + failed.length + (draft.status.terminating ?? 0) > 0) return false;
  const isComplete = outcome === 'succeeded';
  draft.say({ type: isComplete ? 'Complete' : 'Failed', status: 'True', reason, message });
  if (isComplete) draft.status.completionTime = draft.now;
  return true;
}

function tellEnd(
  { status }: JobDraft,
  { view, end }: { readonly view: JobView; readonly end: JobEnd },
  { event }: SyncTools,
): void {
  const { outcome, reason, message } = end;
  if (outcome === 'failed') return event({ type: 'Warning', reason, message });
  if ((status.succeeded ?? 0) > (view.completions ?? Infinity)) {
    const surplus = 'Too many succeeded pods running after completion count reached';
    event({ type: 'Warning', reason: 'TooManySucceededPods', message: surplus });
  }
  event({ reason: 'Completed', message: 'Job completed' });
}
