import { isReady, isTerminating } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { IndexSet } from './index-set.ts';
import { failureCount, type IndexTally } from './index-tally.ts';
import { indexOf } from './job-pod.ts';
import type { JobMetrics, SyncAction } from './job-metrics.ts';
import type { JobView } from './job-view.ts';
import { newIndexPod, newPod } from './new-pod.ts';
import { backoffMs, type Failures, finishedMs } from './pod-backoff.ts';
import type { PodTally } from './pod-tally.ts';
import { createPods, deletePods, type PodWriter, untrackPods } from './pod-writes.ts';
import { podsToRemove } from './removal-order.ts';

/** Maximum number of pods created or deleted per run; the next run continues once these are observed. */
const BURST = 500;
/** Minimum delay before the next sync. */
const BATCH_MS = 1000;

export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

export interface PodsManaged {
  readonly counts: PodCounts;
  readonly action: SyncAction;
  readonly failure?: unknown;
  /** When postponed pods may be created, if there are any. */
  readonly afterMs?: number;
}

export interface PodPlan {
  readonly view: JobView;
  readonly tally: PodTally;
  readonly indexes: IndexTally | undefined;
  readonly failures: Failures;
  readonly nowMs: number;
}

/** Creates and deletes pods, and counts them. */
export interface CountingWriter extends PodWriter {
  readonly metrics: JobMetrics;
}

export function countPods({ pods, active }: PodTally): PodCounts {
  return {
    active: active.length,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
  };
}

/** Creates or deletes pods, never both in one run, to reach the desired parallelism. */
export async function managePods(plan: PodPlan, writer: CountingWriter): Promise<PodsManaged> {
  const { view, tally } = plan;
  const counts = countPods(tally);
  const wanted = wantedActive(plan);
  const surplus = podsToRemove(view, tally.active, Math.max(0, counts.active - wanted));
  if (surplus.length > 0) return removePods(view.isSuspended ? surplus : surplus.slice(0, BURST), counts, writer);
  const held = view.replacesOnlyFailed ? counts.terminating : 0;
  const missing = Math.min(wanted - held - counts.active, BURST);
  return missing > 0 && !view.isSuspended ? addPods(missing, plan, writer) : { counts, action: 'tracking' };
}

function wantedActive({ view, tally, indexes }: PodPlan): number {
  const { completions, parallelism, isSuspended } = view;
  if (isSuspended) return 0;
  const succeeded = indexes?.succeeded.size ?? tally.succeeded;
  if (completions === undefined) return succeeded > 0 ? tally.active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Deletes surplus pods; they count neither as failed nor as succeeded. */
async function removePods(
  surplus: readonly Observed<Pod>[],
  counts: PodCounts,
  writer: PodWriter,
): Promise<PodsManaged> {
  const untracked = await untrackPods(surplus, writer);
  const { done, failure } = await deletePods(untracked.done, writer);
  return { counts: withoutPods(counts, done), failure: untracked.failure ?? failure, action: 'pods_deleted' };
}

/** The counts after these pods were deleted. */
export function withoutPods({ active, ready, terminating }: PodCounts, deleted: readonly Observed<Pod>[]): PodCounts {
  const count = deleted.length;
  return {
    active: active - count,
    ready: ready - deleted.filter(isReady).length,
    terminating: terminating + count,
  };
}

async function addPods(missing: number, plan: PodPlan, writer: CountingWriter): Promise<PodsManaged> {
  const { view, tally, indexes, failures, nowMs } = plan;
  const counts = countPods(tally);
  const action = 'pods_created';
  const tooEarly = (ms: number): PodsManaged => ({ counts, action, afterMs: Math.max(ms, BATCH_MS) });
  const waitMs = view.indexLimit === undefined ? backoffMs(failures, nowMs) : 0;
  if (waitMs > 0) return tooEarly(waitMs);
  const pending = indexes === undefined ? undefined : pendingIndexes(missing, plan, indexes);
  if (pending !== undefined && pending.now.length === 0 && pending.afterMs < Infinity) return tooEarly(pending.afterMs);
  const newPods =
    pending?.now.map((index) => newIndexPod(view, index, indexes?.lastFailed.get(index))) ??
    Array.from({ length: missing }, () => newPod(view));
  const { created, failed, failure } = await createPods(newPods, writer);
  writer.metrics.created(view, tally, { succeeded: created, failed });
  return { counts: { ...counts, active: counts.active + created }, action, failure };
}

/** The indexes that need a pod: those that may get one now, and when the next may. */
function pendingIndexes(
  missing: number,
  { view, tally, nowMs }: PodPlan,
  indexes: IndexTally,
): { readonly now: readonly number[]; readonly afterMs: number } {
  const kept = view.replacesOnlyFailed ? tally.pods.filter(isTerminating) : [];
  const taken = IndexSet.of([...tally.active, ...kept].map(indexOf).filter((index) => index !== undefined));
  const ended = indexes.failed === undefined ? indexes.succeeded : indexes.succeeded.with(indexes.failed);
  const waits = ended
    .with(taken)
    .firstMissing(missing, view.completions ?? 0)
    .map((index) => {
      const failed = indexes.lastFailed.get(index);
      if (failed === undefined) return { index, ms: 0 };
      return { index, ms: backoffMs({ count: failureCount(failed) + 1, lastMs: finishedMs(failed) }, nowMs) };
    });
  return {
    now: waits.filter(({ ms }) => ms === 0).map(({ index }) => index),
    afterMs: Math.min(...waits.map(({ ms }) => ms)),
  };
}
