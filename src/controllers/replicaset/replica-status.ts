import { formatTime, instantOfMillis, matchLabels } from '../../api/client.ts';
import type { ReplicaSetCondition, ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import { isAvailable, isReady } from '../../api/meaning/index.ts';
import type { WantedReplicas } from './replica-kind.ts';

const FAILURE = 'ReplicaFailure';

export interface StatusInput {
  readonly active: readonly Observed<Pod>[];
  /** Pods being deleted; undefined when the kind does not count them. */
  readonly terminating: readonly Observed<Pod>[] | undefined;
  /** Why pods could not be created or deleted, if so. */
  readonly failure: Error | undefined;
  readonly nowMs: number;
}

/** The status of an object that has these pods. Counts of zero are left out, as the server does. */
export function replicaStatus(wanted: WantedReplicas, input: StatusInput): ReplicaSetStatus {
  const { active, terminating, nowMs } = input;
  const template = matchLabels(wanted.template?.metadata?.labels);
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  for (const pod of active) {
    if (template.matches(pod.metadata.labels)) fullyLabeled++;
    if (!isReady(pod)) continue;
    ready++;
    if (isAvailable(pod, wanted.minReadySeconds, nowMs)) available++;
  }
  const conditions = failureConditions(wanted, input);
  return {
    replicas: active.length,
    ...counted({ fullyLabeledReplicas: fullyLabeled, readyReplicas: ready, availableReplicas: available }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating.length }),
    ...counted({ observedGeneration: wanted.generation }),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] as ReplicaSetCondition[] }),
  };
}

function counted(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/** A failure is told once and stays as it was first told until there is none. */
function failureConditions(
  { status, replicas }: WantedReplicas,
  { active, failure, nowMs }: StatusInput,
): readonly DeepReadonly<ReplicaSetCondition>[] {
  const conditions = status.conditions ?? [];
  const isTold = conditions.some(({ type }) => type === FAILURE);
  if (failure === undefined) return isTold ? conditions.filter(({ type }) => type !== FAILURE) : conditions;
  if (isTold) return conditions;
  const reason = active.length < replicas ? 'FailedCreate' : active.length > replicas ? 'FailedDelete' : undefined;
  const condition = {
    type: FAILURE,
    status: 'True',
    lastTransitionTime: formatTime(instantOfMillis(nowMs)),
    ...(reason === undefined ? {} : { reason }),
    message: failure.message,
  };
  return [...conditions, condition];
}
