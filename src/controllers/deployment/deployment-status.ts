import type { DeploymentCondition, DeploymentStatus } from '../../api/types/apps/v1.d.ts';
import { type Condition, newCondition, withCondition } from './conditions.ts';
import type { DeploymentView } from './deployment-view.ts';
import { type ReplicaSetObject, type SetsOfDeployment, totalOf, totalSize } from './replica-sets.ts';

/** A run's findings beside the ReplicaSets' statuses. */
export interface StatusDraft {
  readonly conditions: readonly Condition[];
  readonly collisionCount: number | undefined;
}

/** The counts of a Deployment's status; absent counts are zero. */
export interface Counts {
  readonly observedGeneration: number;
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
  /** Undefined when a ReplicaSet does not report it. */
  readonly terminatingReplicas: number | undefined;
}

export function countPods({ generation }: DeploymentView, { current, old }: SetsOfDeployment): Counts {
  const currentSets = current === undefined ? [] : [current];
  const all = [...old, ...currentSets];
  const available = totalOf(all, 'availableReplicas');
  return {
    observedGeneration: generation,
    replicas: totalOf(all, 'replicas'),
    updatedReplicas: totalOf(currentSets, 'replicas'),
    readyReplicas: totalOf(all, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalSize(all) - available),
    terminatingReplicas: countTerminating(all),
  };
}

/** The counts in the current status. */
export function countsOf({ status }: DeploymentView): Counts {
  return {
    observedGeneration: status.observedGeneration ?? 0,
    replicas: status.replicas ?? 0,
    updatedReplicas: status.updatedReplicas ?? 0,
    readyReplicas: status.readyReplicas ?? 0,
    availableReplicas: status.availableReplicas ?? 0,
    unavailableReplicas: status.unavailableReplicas ?? 0,
    terminatingReplicas: status.terminatingReplicas,
  };
}

/**
 * Sums the terminating replicas. ReplicaSets without observedGeneration are skipped; unknown when any other does not
 * report the number.
 */
function countTerminating(sets: readonly ReplicaSetObject[]): number | undefined {
  let total = 0;
  for (const { status } of sets) {
    const count = status?.terminatingReplicas;
    if (count === undefined && (status?.observedGeneration ?? 0) !== 0) return undefined;
    total += count ?? 0;
  }
  return total;
}

/** The conditions with an updated Available condition. */
export function withAvailability(
  conditions: readonly Condition[],
  { replicas, maxUnavailable }: DeploymentView,
  { availableReplicas, nowMs }: { readonly availableReplicas: number; readonly nowMs: number },
): readonly Condition[] {
  const finding =
    availableReplicas >= replicas - maxUnavailable
      ? ({
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        } as const)
      : ({
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        } as const);
  return withCondition(conditions, newCondition(finding, nowMs));
}

/** The status as the API server stores it: zero counts are omitted. */
export function toStatus(counts: Counts, { conditions, collisionCount }: StatusDraft): DeploymentStatus {
  const { terminatingReplicas, ...plain } = counts;
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([, count]) => count !== 0)),
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] as DeploymentCondition[] }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/** Whether the rollout is complete: all replicas are updated and available, and there are no old pods. */
export function isComplete({ replicas, generation }: DeploymentView, counts: Counts): boolean {
  return (
    counts.updatedReplicas === replicas &&
    counts.replicas === replicas &&
    counts.availableReplicas === replicas &&
    counts.observedGeneration >= generation
  );
}
