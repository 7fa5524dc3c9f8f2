import { isAvailable, isReady } from '../../api/meaning/index.ts';
import type { StatefulSetStatus } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import type { StatefulSetView } from './set-view.ts';
import { revisionOfPod } from './stateful-pod.ts';

/** The pod counts in a status. */
export interface PodCounts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly currentReplicas: number;
  readonly updatedReplicas: number;
}

export interface RevisionNames {
  readonly current: string;
  readonly update: string;
}

export function countPods(
  pods: readonly Observed<Pod>[],
  revisions: RevisionNames,
  { minReadySeconds, nowMs }: { readonly minReadySeconds: number; readonly nowMs: number },
): PodCounts {
  const ready = pods.filter(isRunningAndReady);
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(revisionOfPod);
  return {
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length,
    currentReplicas: staying.filter((revision) => revision === revisions.current).length,
    updatedReplicas: staying.filter((revision) => revision === revisions.update).length,
  };
}

export function isRunningAndReady(pod: Observed<Pod>): boolean {
  return pod.status?.phase === 'Running' && isReady(pod);
}

/** Computes the status from the pods. When all of them have the update revision, it becomes the current one. */
export function setStatus(
  set: StatefulSetView,
  counts: PodCounts,
  { names, collisionCount }: { readonly names: RevisionNames; readonly collisionCount: number },
): StatefulSetStatus {
  const { replicas, readyReplicas, updatedReplicas, availableReplicas } = counts;
  const isComplete = set.isRolling && [updatedReplicas, readyReplicas, replicas].every((each) => each === set.replicas);
  const currentReplicas = isComplete ? updatedReplicas : counts.currentReplicas;
  return {
    observedGeneration: set.generation,
    replicas,
    ...(readyReplicas === 0 ? {} : { readyReplicas }),
    ...(currentReplicas === 0 ? {} : { currentReplicas }),
    ...(updatedReplicas === 0 ? {} : { updatedReplicas }),
    currentRevision: isComplete ? names.update : names.current,
    updateRevision: names.update,
    collisionCount,
    availableReplicas,
  };
}

/** Whether the status changed; a new collision count alone is not worth a write. */
export function hasRelevantChange(status: StatefulSetStatus, known: DeepReadonly<StatefulSetStatus>): boolean {
  return (
    (status.observedGeneration ?? 0) > (known.observedGeneration ?? 0) ||
    status.replicas !== known.replicas ||
    (status.readyReplicas ?? 0) !== (known.readyReplicas ?? 0) ||
    (status.currentReplicas ?? 0) !== (known.currentReplicas ?? 0) ||
    (status.updatedReplicas ?? 0) !== (known.updatedReplicas ?? 0) ||
    (status.availableReplicas ?? 0) !== (known.availableReplicas ?? 0) ||
    (status.currentRevision ?? '') !== (known.currentRevision ?? '') ||
    (status.updateRevision ?? '') !== (known.updateRevision ?? '')
  );
}
