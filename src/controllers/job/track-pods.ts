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

/** Maximum number of uncounted pods listed in the status, to keep it small. */
const MAX_UNCOUNTED = 500;

export interface Tracking {
  readonly view: JobView;
  readonly pods: readonly Observed<Pod>[];
  readonly indexes: IndexTally | undefined;
  readonly end: JobEnd | undefined;
}

export interface EndedPods {
  /** Pods whose finalizer can be removed after the status was written. */
  readonly leaving: readonly Observed<Pod>[];
  /** Whether more pods have finished than fit into the list. */
  readonly hasMore: boolean;
}

/**
 * Lists newly finished pods in the status, and whether the Job ends with them.
 *
 * Guarantees that no pod is missed or counted twice across restarts: the status first lists the pods about to be
 * counted, then their finalizers are removed, and then they move from the list into the counts.
 */
export function nameEndedPods(draft: JobDraft, tracking: Tracking): EndedPods {
  const open = tracking.pods.filter(isTracked);
  countReleased(draft, new Set(open.map(({ metadata }) => metadata.uid)));
  const { succeededIndexes, ...ended } = nameEnded(draft, tracking, open);
  setIndexes(draft, tracking, succeededIndexes);
  announceEnd(draft, tracking.end);
  return ended;
}

/** Removes finalizers and counts the pods; returns the error if that failed. */
export async function releasePods(
  draft: JobDraft,
  { pods, leaving }: { readonly pods: readonly Observed<Pod>[]; readonly leaving: readonly Observed<Pod>[] },
  writer: PodWriter,
): Promise<unknown> {
  const { done, failure } = await untrackPods(leaving, writer);
  const gone = new Set(done.map(({ metadata }) => metadata.uid));
  const open = pods.filter((pod) => isTracked(pod) && !gone.has(pod.metadata.uid));
  countReleased(draft, new Set(open.map(({ metadata }) => metadata.uid)));
  return failure;
}

/** Moves pods without a finalizer from the list into the counts. */
function countReleased(draft: JobDraft, openUids: ReadonlySet<string>): void {
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

/** Lists finished pods in the status; returns these and the pods that do not count, whose finalizers can be removed. */
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
    if (!canRelease(pod, tracking, isFailed)) continue;
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

/** A failed pod of an index stays until its replacement carries on its failure count. */
function canRelease(pod: Observed<Pod>, { view, indexes, end }: Tracking, isFailed: boolean): boolean {
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

/** Adds the FailureTarget or SuccessCriteriaMet condition before the finalizers of the deciding pods are removed. */
function announceEnd(draft: JobDraft, end: JobEnd | undefined): void {
  if (end === undefined || end.isAnnounced) return;
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
