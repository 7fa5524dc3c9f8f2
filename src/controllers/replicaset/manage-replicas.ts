import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Histogram } from '../../base/index.ts';
import { keyOf, type Observed, type Sendable } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { isNamespaceTerminating } from '../../api/meaning/index.ts';
import { observeAges } from './deletion-age-ratio.ts';
import { choosePodsToDelete } from './deletion-order.ts';
import { slowStart } from './slow-start.ts';

/** Maximum number of pods created or deleted per run; the next run continues once these are observed. */
export const BURST_REPLICAS = 500;

/** The dependencies of `manageReplicas`. */
export interface PodChanges {
  /** The number of active pods. */
  readonly count: number;
  /** The active pods; called only when some must be deleted. */
  active(): readonly Observed<Pod>[];
  readonly pods: Objects<Pod>;
  readonly newPod: Sendable<Pod>;
  /** Pods of the same application; called only when some must be deleted. */
  related(): readonly Observed<Pod>[];
  event(details: EventDetails): void;
  readonly nowMs: number;
  readonly ageRatios: Histogram;
}

/** Creates or deletes pods to reach `replicas`, in bursts; returns the error if that failed. */
export async function manageReplicas(replicas: number, changes: PodChanges): Promise<Error | undefined> {
  const excess = changes.count - replicas;
  if (excess < 0) return createPods(Math.min(-excess, BURST_REPLICAS), changes);
  if (excess > 0) return deletePods(Math.min(excess, BURST_REPLICAS), changes);
  return undefined;
}

async function createPods(count: number, { pods, newPod, event }: PodChanges): Promise<Error | undefined> {
  const { failure } = await slowStart(count, async () => {
    try {
      const { metadata } = await pods.create(newPod);
      event({ reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
    } catch (error) {
      if (isNamespaceTerminating(error)) return; // the namespace is terminating: nothing can be created, and no event can be stored
      event({ type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${toError(error).message}` });
      throw error;
    }
  });
  return failure === undefined ? undefined : toError(failure);
}

async function deletePods(
  count: number,
  { pods, active: listActive, related, event, nowMs, ageRatios }: PodChanges,
): Promise<Error | undefined> {
  const active = listActive();
  const chosen = choosePodsToDelete(active, count, { related: related(), nowMs });
  observeAges(ageRatios, { active, chosen }, nowMs);
  const failures: Error[] = [];
  await Promise.all(
    chosen.map(async (pod) => {
      const { name } = pod.metadata;
      try {
        if (await pods.delete(keyOf(pod))) event({ reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
      } catch (cause) {
        const { message } = toError(cause);
        event({ type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${message}` });
        failures.push(new Error(`unable to delete pods: ${message}`, { cause }));
      }
    }),
  );
  return failures[0];
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
