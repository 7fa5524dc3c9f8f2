import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { judgeFailure } from './failure-policy.ts';
import { IndexSet } from './index-set.ts';
import { failuresBefore, hasFailed, hasSucceeded, indexOf, isTracked, validIndexOf } from './job-pod.ts';
import type { JobView } from './job-view.ts';
import { finishedMs } from './pod-backoff.ts';
import type { PodTally } from './pod-tally.ts';

/** The indexes of an indexed Job by outcome. */
export interface IndexTally {
  readonly succeededBefore: IndexSet;
  readonly succeeded: IndexSet;
  /** Undefined without a back-off limit per index. */
  readonly failed: IndexSet | undefined;
  /** By index, the last failed pod, kept until it is replaced: its annotations count the index's failures. */
  readonly lastFailed: ReadonlyMap<number, Observed<Pod>>;
}

export function tallyIndexes(view: JobView, tally: PodTally): IndexTally {
  const { job, completions = 0, indexLimit } = view;
  const { completedIndexes = '', failedIndexes = '' } = job.status ?? {};
  const open = tally.pods.filter(isTracked);
  const indexesOf = (pods: readonly Observed<Pod>[]): IndexSet =>
    IndexSet.of(pods.map((pod) => validIndexOf(pod, view)).filter((index) => index !== undefined));
  const succeededBefore = IndexSet.parse(completedIndexes, completions);
  const succeeded = succeededBefore.with(indexesOf(open.filter(hasSucceeded)));
  if (indexLimit === undefined) return { succeededBefore, succeeded, failed: undefined, lastFailed: new Map() };
  const newlyFailed = open.filter((pod) => hasFailed(pod, view) && isLastFailure(pod, view, indexLimit));
  const failed = IndexSet.parse(failedIndexes, completions).with(indexesOf(newlyFailed));
  return { succeededBefore, succeeded, failed, lastFailed: lastFailedPods(view, tally, succeeded.with(failed)) };
}

/** Whether the index fails with this pod. */
function isLastFailure(pod: Observed<Pod>, { spec }: JobView, limit: number): boolean {
  const { action } = judgeFailure(spec.podFailurePolicy, pod);
  return action === 'FailIndex' || (action !== 'Ignore' && failuresBefore(pod).counted >= limit);
}

function lastFailedPods(view: JobView, { pods, active }: PodTally, ended: IndexSet): Map<number, Observed<Pod>> {
  const last = new Map<number, Observed<Pod>>();
  const running = new Set(active.map(indexOf));
  for (const pod of pods) {
    const index = validIndexOf(pod, view);
    if (index === undefined || !isTracked(pod) || !hasFailed(pod, view)) continue;
    if (running.has(index) || ended.has(index)) continue;
    const known = last.get(index);
    if (known === undefined || isLater(pod, known)) last.set(index, pod);
  }
  return last;
}

function isLater(pod: Observed<Pod>, known: Observed<Pod>): boolean {
  return failureCount(known) <= failureCount(pod) && finishedMs(known) <= finishedMs(pod);
}

/** How often pods of the index failed before this one, ignored failures included. */
export function failureCount(pod: Observed<Pod>): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}
