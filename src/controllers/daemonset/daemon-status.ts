import { isAvailable, isReady } from '../../api/meaning/index.ts';
import type { DaemonSetStatus } from '../../api/types/apps/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { isUpdated, oldestOf } from './daemon-pod.ts';
import type { DaemonSetView } from './daemon-view.ts';
import type { RollingInput } from './rolling-plan.ts';

/** Computes the status from nodes and pods; of several pods on a node, the oldest counts. */
export function daemonStatus(
  set: DaemonSetView,
  { fits, pods, hash, nowMs }: RollingInput,
): DeepReadonly<DaemonSetStatus> {
  let desired = 0;
  let current = 0;
  let misscheduled = 0;
  let ready = 0;
  let updated = 0;
  let available = 0;
  for (const [name, { shouldRun }] of fits) {
    const oldest = oldestOf(pods.get(name) ?? []);
    if (!shouldRun && oldest !== undefined) misscheduled += 1;
    if (!shouldRun) continue;
    desired += 1;
    if (oldest === undefined) continue;
    current += 1;
    if (isReady(oldest)) ready += 1;
    if (isAvailable(oldest, set.minReadySeconds, nowMs)) available += 1;
    if (isUpdated(oldest, set, hash)) updated += 1;
  }
  const optional = {
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
    observedGeneration: set.generation,
  };
  return {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...Object.fromEntries(Object.entries(optional).filter(([, count]) => count !== 0)),
    ...kept(set.status),
  };
}

/** The status fields that are not counts of nodes. */
function kept(status: DaemonSetView['status']): DeepReadonly<Pick<DaemonSetStatus, 'collisionCount' | 'conditions'>> {
  const { collisionCount, conditions } = status ?? {};
  return {
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}
