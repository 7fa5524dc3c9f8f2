import type { Job, Pod } from '../../client/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { judgeFailure } from './failure-policy.ts';
import { tallyIndexes } from './index-tally.ts';
import { JobDraft } from './job-draft.ts';
import { COMPLETIONS_REACHED, type EndFacts, type JobEnd, jobEnd, untilDeadlineMs } from './job-end.ts';
import type { JobMetrics, SyncAction } from './job-metrics.ts';
import { type JobView, viewJob } from './job-view.ts';
import { countPods, managePods, type PodCounts, type PodPlan, type PodsManaged, withoutPods } from './manage-pods.ts';
import { type Failures, withEnded } from './pod-backoff.ts';
import { tallyPods } from './pod-tally.ts';
import { deletePods } from './pod-writes.ts';
import { releasePods, nameEndedPods } from './track-pods.ts';

/** The dependencies of `syncJob`. */
export interface SyncTools {
  readonly jobs: Objects<Job>;
  readonly pods: Objects<Pod>;
  readonly clock: Clock;
  readonly metrics: JobMetrics;
  /** Failures since the last success. */
  readonly failures: Failures;
  event(details: EventDetails): void;
  /** Requeues the Job after this time. */
  after(ms: number): void;
  /** Stores the failures once the status contains them. */
  remember(failures: Failures): void;
}

/** Creates and deletes the pods of a Job, and writes its status. */
export async function syncJob(job: Observed<Job>, pods: readonly Observed<Pod>[], tools: SyncTools): Promise<void> {
  const { clock, metrics } = tools;
  const view = viewJob(job);
  const startMs = clock.monotonic();
  const sync: Sync = { action: 'reconciling' };
  let isFine = false;
  try {
    await changeJob(view, pods, { ...tools, sync });
    isFine = true;
  } finally {
    metrics.synced(view, { action: sync.action, isFine, ms: clock.monotonic() - startMs });
  }
}

/** The state of a running sync. */
interface Sync {
  action: SyncAction;
}

async function changeJob(
  view: JobView,
  pods: readonly Observed<Pod>[],
  tools: SyncTools & { readonly sync: Sync },
): Promise<void> {
  const { clock, metrics } = tools;
  const { job } = view;
  const draft = new JobDraft(job, tools);
  const tally = tallyPods(view, pods);
  const indexes = view.isIndexed ? tallyIndexes(view, tally) : undefined;
  const failures = withEnded(tools.failures, { succeeded: tally.newlySucceeded, failed: tally.newlyFailed });
  if (draft.status.startTime === undefined && !view.isSuspended) draft.status.startTime = draft.now;

  const nowMs = clock.now();
  const facts = { view, tally, indexes, status: draft.status, nowMs };
  const plan = { view, tally, indexes, failures, nowMs };
  const decided = jobEnd(facts);
  const { counts, end, failure, action } =
    decided === undefined ? await goOn(draft, { facts, plan }, tools) : await stop(decided, plan, tools);
  draft.set({ ...counts });
  tools.sync.action = action;

  const { leaving, hasMore } = nameEndedPods(draft, { view, pods, indexes, end });
  await draft.write();
  metrics.counted(view, job.status ?? {}, draft.status);
  const counted = { ...draft.status };
  tools.remember(failures);
  const stuck = await releasePods(draft, { pods, leaving }, tools);
  const isFinished = stuck === undefined && !hasMore && end !== undefined && finish(draft, end);
  await draft.write();
  metrics.counted(view, counted, draft.status);
  countVerdicts(
    view,
    tally.newlyFailed.filter((pod) => leaving.includes(pod)),
    metrics,
  );
  if (isFinished) recordEnd(draft, { view, end }, tools);
  const problem = stuck ?? failure;
  if (problem !== undefined) throw problem;
}

interface Step {
  readonly counts: PodCounts;
  readonly end: JobEnd | undefined;
  readonly failure: unknown;
  readonly action: SyncAction;
}

/** Deletes the active pods of a Job that ends. The Job ends only after that succeeded. */
async function stop(end: JobEnd, { tally }: PodPlan, tools: SyncTools): Promise<Step> {
  const { done, failure } = await deletePods(tally.active, tools);
  const areAllDeleted = done.length === tally.active.length;
  return {
    counts: withoutPods(countPods(tally), done),
    end: areAllDeleted ? end : undefined,
    failure,
    action: 'pods_deleted',
  };
}

/** Creates or deletes pods of a running Job, unless that completes it. */
async function goOn(
  draft: JobDraft,
  { facts, plan }: { readonly facts: EndFacts; readonly plan: PodPlan },
  tools: SyncTools,
): Promise<Step> {
  const { view, tally, indexes } = plan;
  const isDeleted = view.job.metadata.deletionTimestamp !== undefined;
  const leftMs = untilDeadlineMs(facts);
  if (leftMs !== undefined) tools.after(leftMs);
  const managed: PodsManaged = isDeleted
    ? { counts: countPods(tally), action: 'tracking' }
    : await managePods(plan, tools);
  const { counts, failure, afterMs, action } = managed;
  if (afterMs !== undefined) tools.after(afterMs);
  const succeeded = indexes?.succeeded.size ?? tally.succeeded;
  if (counts.active === 0 && succeeded >= (view.completions ?? 1))
    return { counts, end: COMPLETIONS_REACHED, failure, action };
  if (!isDeleted) applySuspension(draft, view, tools);
  return { counts, end: undefined, failure, action };
}

/** Counts, once each, the failed pods that match a rule of the policy. */
function countVerdicts({ spec }: JobView, failed: readonly Observed<Pod>[], metrics: JobMetrics): void {
  for (const pod of failed) {
    const { action } = judgeFailure(spec.podFailurePolicy, pod);
    if (action !== undefined) metrics.judged(action);
  }
}

/** activeDeadlineSeconds counts from the last resumption. */
function applySuspension(draft: JobDraft, { isSuspended }: JobView, { event }: SyncTools): void {
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

/** Finishes the Job if no pods are left to wait for; returns whether it has finished. */
function finish(draft: JobDraft, { outcome, reason, message }: JobEnd): boolean {
  const { succeeded, failed } = draft.uncounted;
  if (succeeded.length + failed.length + (draft.status.terminating ?? 0) > 0) return false;
  const isComplete = outcome === 'succeeded';
  draft.say({ type: isComplete ? 'Complete' : 'Failed', status: 'True', reason, message });
  if (isComplete) draft.status.completionTime = draft.now;
  return true;
}

function recordEnd(
  { status }: JobDraft,
  { view, end }: { readonly view: JobView; readonly end: JobEnd },
  { event, metrics }: SyncTools,
): void {
  const { outcome, reason, message } = end;
  metrics.finished(view, end);
  if (outcome === 'failed') return event({ type: 'Warning', reason, message });
  if ((status.succeeded ?? 0) > (view.completions ?? Infinity)) {
    const surplus = 'Too many succeeded pods running after completion count reached';
    event({ type: 'Warning', reason: 'TooManySucceededPods', message: surplus });
  }
  event({ reason: 'Completed', message: 'Job completed' });
}
