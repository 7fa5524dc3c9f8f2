import { formatTime, instantOfMillis } from '../../api/client.ts';
import type { ReplicaSetCondition, ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { PodCounts } from './pod-counts.ts';
import type { WantedReplicas } from './replica-kind.ts';

const FAILURE = 'ReplicaFailure';

export interface StatusInput {
  readonly counts: PodCounts;
  /** Whether the kind counts terminating pods. */
  readonly countsTerminating: boolean;
  /** Why pods could not be created or deleted, if so. */
  readonly failure: Error | undefined;
  readonly nowMs: number;
}

/** Computes the status from the counts. Zeros are omitted, as the API server does. */
export function replicaStatus(wanted: WantedReplicas, input: StatusInput): ReplicaSetStatus {
  const { active, terminating, fullyLabeled, ready, available } = input.counts;
  const conditions = failureConditions(wanted, input);
  return {
    replicas: active,
    ...counted({ fullyLabeledReplicas: fullyLabeled, readyReplicas: ready, availableReplicas: available }),
    ...(input.countsTerminating ? { terminatingReplicas: terminating } : {}),
    ...counted({ observedGeneration: wanted.generation }),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] as ReplicaSetCondition[] }),
  };
}

function counted(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/** Keeps the first failure unchanged until the failure ends. */
function failureConditions(
  { status, replicas }: WantedReplicas,
  { counts: { active }, failure, nowMs }: StatusInput,
): readonly DeepReadonly<ReplicaSetCondition>[] {
  const conditions = status.conditions ?? [];
  const hasFailureCondition = conditions.some(({ type }) => type === FAILURE);
  if (failure === undefined)
    return hasFailureCondition ? conditions.filter(({ type }) => type !== FAILURE) : conditions;
  if (hasFailureCondition) return conditions;
  const reason = active < replicas ? 'FailedCreate' : active > replicas ? 'FailedDelete' : undefined;
  const condition = {
    type: FAILURE,
    status: 'True',
    lastTransitionTime: formatTime(instantOfMillis(nowMs)),
    ...(reason === undefined ? {} : { reason }),
    message: failure.message,
  };
  return [...conditions, condition];
}
