import { isNamespaceTerminating } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { messageOf } from '../../base/index.ts';
import { hasReason, keyOf, type Observed, type Sendable } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { slowStart } from '../replicaset/index.ts';
import { isTracked, untracking } from './job-pod.ts';

/** Writes the pods of one Job and records events. */
export interface PodWriter {
  readonly pods: Objects<Pod>;
  event(details: EventDetails): void;
}

/** The result of writing pods. */
export interface PodsWritten<T> {
  readonly done: readonly T[];
  readonly failure: unknown;
}

/** Creates pods in growing batches while that succeeds; returns how many were created. */
export async function createPods(
  newPods: readonly Sendable<Pod>[],
  { pods, event }: PodWriter,
): Promise<{ readonly created: number; readonly failed: number; readonly failure: unknown }> {
  const waiting = [...newPods];
  let failed = 0;
  const { successes: created, failure } = await slowStart(newPods.length, async () => {
    const pod = waiting.shift();
    if (pod === undefined) return;
    try {
      const { metadata } = await pods.create(pod);
      event({ reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
    } catch (error) {
      if (isNamespaceTerminating(error)) return; // the namespace is terminating: nothing can be created, and no event can be stored
      failed += 1;
      event({ type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${messageOf(error)}` });
      throw error;
    }
  });
  return { created, failed, failure };
}

/** Deletes pods; those that are already gone count as deleted. */
export function deletePods(
  chosen: readonly Observed<Pod>[],
  { pods, event }: PodWriter,
): Promise<PodsWritten<Observed<Pod>>> {
  return forEach(chosen, async (pod) => {
    const { name } = pod.metadata;
    try {
      if (await pods.delete(keyOf(pod))) event({ reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
    } catch (cause) {
      event({ type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${messageOf(cause)}` });
      throw new Error(`unable to delete pods: ${messageOf(cause)}`, { cause });
    }
  });
}

/** Removes the tracking finalizer of pods that need not be counted. */
export function untrackPods(
  chosen: readonly Observed<Pod>[],
  { pods }: PodWriter,
): Promise<PodsWritten<Observed<Pod>>> {
  return forEach(chosen, async (pod) => {
    if (!isTracked(pod)) return;
    try {
      await pods.patch(keyOf(pod), untracking());
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  });
}

async function forEach<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<PodsWritten<T>> {
  const results = await Promise.allSettled(items.map(act));
  const failure: unknown = results.find((result) => result.status === 'rejected')?.reason;
  return { done: items.filter((_, position) => results[position]?.status === 'fulfilled'), failure };
}
