import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { judgeFailure } from './failure-policy.ts';
import { IndexSet } from './index-set.ts';
import type { IndexTally } from './index-tally.ts';
import type { JobDraft } from './job-draft.ts';
import type { JobEnd } from './job-end.ts';
import { hasFailed, hasSucceeded, indexOf, isTracked, validIndexOf } from './job-pod.ts';
import type { JobView } from './job-view.ts';
import { type PodWriter, untrackPods } from './pod-writes.ts';

/** The status names at most so many pods at a time, so that it stays small. */
const MAX_UNCOUNTED = 500;

export interface Tracking {
  readonly view: JobView;
  readonly pods: readonly Observed<Pod>[];
  readonly indexes: IndexTally | undefined;
  readonly end: JobEnd | undefined;
}

export interface EndedPods {
  /** Pods that can be let go when the status is written. */
  readonly leaving: readonly Observed<Pod>[];
  /** Whether there are more ended pods than could be named this time. */
  readonly hasMore: boolean;
}

/**
 * Says in the status which pods have ended, and whether the Job ends with them.
 *
 * So none is missed or counted twice, whatever happens in between: first the status tells which are about to be counted, then
 * they are let go, and then they are in the numbers.
 */
export function nameEndedPods(draft: JobDraft, tracking: Tracking): EndedPods {
  const open = tracking.pods.filter(isTracked);
  countLetGo(draft, new Set(open.map(({ metadata }) => metadata.uid)));
  const { succeededIndexes, ...ended } = nameEnded(draft, tracking, open);
  setIndexes(draft, tracking, succeededIndexes);
  announceEnd(draft, tracking.end);
  return ended;
}

/** Lets pods go, and counts those; returns why that failed, if it did. */
export async function letPodsGo(
  draft: JobDraft,
  { pods, leaving }: { readonly pods: readonly Observed<Pod>[]; readonly leaving: readonly Observed<Pod>[] },
  writer: PodWriter,
): Promise<unknown> {
  const { done, failure } = await untrackPods(leaving, writer);
  const gone = new Set(done.map(({ metadata }) => metadata.uid));
  const open = pods.filter((pod) => isTracked(pod) && !gone.has(pod.metadata.uid));
  countLetGo(draft, new Set(open.map(({ metadata }) => metadata.uid)));
  return failure;
}

/** Moves pods that were let go from the names into the numbers. */
function countLetGo(draft: JobDraft, openUids: ReadonlySet<string>): void {
  const { succeeded, failed } = draft.uncounted;
  const left = {
    succeeded: succeeded.filter((uid) => openUids.has(uid)),
    failed: failed.filter((uid) => openUids.has(uid)),
  };
  const newlySucceeded = succeeded.length - left.succeeded.length;
  const newlyFailed = failed.length - left.failed.length;
  if (newlySucceeded + newlyFailed === 0) return;
  draft.set({
    succeeded: (draft.status.succeeded ?? 0) + newlySucceeded,
    failed: (draft.status.failed ?? 0) + newlyFailed,
    uncountedTerminatedPods: uncountedOf(left.succeeded, left.failed),
  });
}

/** Names ended pods in the status; all these, and those whose end does not count, can be let go then. */
function nameEnded(
  draft: JobDraft,
  tracking: Tracking,
  open: readonly Observed<Pod>[],
): { leaving: readonly Observed<Pod>[]; succeededIndexes: readonly number[]; hasMore: boolean } {
  const { view, indexes, end } = tracking;
  const before = draft.uncounted;
  const known = new Set([...before.succeeded, ...before.failed]);
  const failedBefore = new Set(before.failed);
  const succeeded = [...before.succeeded];
  const failed = [...before.failed];
  const succeededIndexes: number[] = [];
  const leaving: Observed<Pod>[] = [];
  const ordered = view.isIndexed
    ? open.toSorted((left, right) => (indexOf(left) ?? -1) - (indexOf(right) ?? -1))
    : open;
  for (const pod of ordered) {
    const { uid } = pod.metadata;
    const isFailed = hasFailed(pod, view);
    if (!canLeave(pod, tracking, isFailed)) continue;
    leaving.push(pod);
    const index = view.isIndexed ? validIndexOf(pod, view) : undefined;
    if (hasSucceeded(pod) && !failedBefore.has(uid)) {
      if (!view.isIndexed) {
        if (!known.has(uid)) succeeded.push(uid);
      } else if (index !== undefined && indexes?.succeededBefore.has(index) === false) succeededIndexes.push(index);
    } else if (isFailed || end?.outcome === 'failed') {
      const isCounted = !known.has(uid) && (!view.isIndexed || index !== undefined);
      if (isCounted && judgeFailure(view.spec.podFailurePolicy, pod).action !== 'Ignore') failed.push(uid);
    }
    if (succeededIndexes.length + succeeded.length + failed.length >= MAX_UNCOUNTED) return finish(true);
  }
  return finish(false);

  function finish(hasMore: boolean): ReturnType<typeof nameEnded> {
    if (succeeded.length + failed.length > known.size)
      draft.set({ uncountedTerminatedPods: uncountedOf(succeeded, failed) });
    return { leaving, succeededIndexes, hasMore };
  }
}

/** A failed pod of an index stays until there is another that carries on its count. */
function canLeave(pod: Observed<Pod>, { view, indexes, end }: Tracking, isFailed: boolean): boolean {
  if (view.job.metadata.deletionTimestamp !== undefined || end !== undefined || hasSucceeded(pod)) return true;
  const index = indexOf(pod);
  return isFailed && (index === undefined || indexes?.lastFailed.get(index)?.metadata.uid !== pod.metadata.uid);
}

function setIndexes(draft: JobDraft, { indexes }: Tracking, succeededIndexes: readonly number[]): void {
  if (indexes === undefined) return;
  const succeeded = indexes.succeeded.with(IndexSet.of(succeededIndexes));
  if (succeeded.toString() !== (draft.status.completedIndexes ?? '') || succeededIndexes.length > 0)
    draft.isChanged = true;
  Object.assign(draft.status, { succeeded: succeeded.size, completedIndexes: succeeded.toString() });
  draft.set({ failedIndexes: indexes.failed?.toString() });
}

/** Says that the Job is about to end, before the pods are let go that are the reason. */
function announceEnd(draft: JobDraft, end: JobEnd | undefined): void {
  if (end === undefined || end.isTold) return;
  const type = end.outcome === 'succeeded' ? 'SuccessCriteriaMet' : 'FailureTarget';
  draft.append({ type, status: 'True', reason: end.reason, message: end.message });
}

function uncountedOf(
  succeeded: readonly string[],
  failed: readonly string[],
): { succeeded?: string[]; failed?: string[] } {
  return {
    ...(succeeded.length === 0 ? {} : { succeeded: [...succeeded] }),
    ...(failed.length === 0 ? {} : { failed: [...failed] }),
  };
}
