import { deepEqual } from '../base/index.ts';
import { type Observed, keyOf, type Pod, strategicPatch } from '../client/index.ts';
import type { Objects } from '../kit/index.ts';

/** Where a worker reports its pod. */
export interface PodWriter {
  /** Patches the status of the very pod that is given; returns the pod as it is then. */
  writeStatus(pod: Observed<Pod>, patch: object): Promise<Observed<Pod>>;
  /** Removes a pod of which nothing runs any more. */
  delete(pod: Observed<Pod>): Promise<void>;
}

/** Reports to the API. */
export function apiPodWriter(pods: Pick<Objects<Pod>, 'patchStatus' | 'delete'>): PodWriter {
  return {
    writeStatus: (pod, patch) =>
      pods.patchStatus(keyOf(pod), strategicPatch({ metadata: { uid: pod.metadata.uid }, status: patch })),
    async delete(pod) {
      await pods.delete(keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } });
    },
  };
}

/** Whether the written pod differs from the planned one only in its status. */
export function isSameButStatus(planned: Observed<Pod>, written: Observed<Pod>): boolean {
  const { resourceVersion: _before, managedFields: _managers, ...known } = planned.metadata;
  const { resourceVersion: _after, managedFields: _others, ...found } = written.metadata;
  return deepEqual(known, found);
}
