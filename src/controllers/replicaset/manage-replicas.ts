import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Histogram } from '../../base/index.ts';
import { keyOf, type Observed, type Sendable } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { isNamespaceTerminating } from '../../api/meaning/index.ts';
import { observeAges } from './deletion-age-ratio.ts';
import { choosePodsToDelete } from './deletion-order.ts';
import { slowStart } from './slow-start.ts';

/** At most so many pods are created or deleted in one run; the rest follows when these are seen. */
export const BURST_REPLICAS = 500;

/** What changing the number of pods needs. */
export interface PodChanges {
  /** How many pods run. */
  readonly count: number;
  /** These pods, asked for only when some have to go. */
  active(): readonly Observed<Pod>[];
  readonly pods: Objects<Pod>;
  readonly newPod: Sendable<Pod>;
  /** Pods of the same application, asked for likewise. */
  related(): readonly Observed<Pod>[];
  event(details: EventDetails): void;
  readonly nowMs: number;
  readonly ageRatios: Histogram;
}

/** Creates or deletes pods so that there are `replicas` of them, in bursts; returns why that failed, if it did. */
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
      if (isNamespaceTerminating(error)) return; // there is nothing to be done about it, and nobody to tell
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
