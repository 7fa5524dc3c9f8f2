import { readyCondition } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { hasReason, keyOf, type Observed } from '../../client/index.ts';
import { type EventRecorder, inParallel, type Objects } from '../../kit/index.ts';
import { podStatusPatch } from '../pod-disruption.ts';

const WRITES_AT_ONCE = 20;

export interface PodReadinessOptions {
  readonly events: EventRecorder;
  readonly now: string;
}

/** Sets the Ready condition of the pods on an unready node to False, which their kubelet cannot do. */
export async function markNotReady(
  pods: Objects<Pod>,
  concerned: readonly Observed<Pod>[],
  { events, now }: PodReadinessOptions,
): Promise<void> {
  const mark = async (pod: Observed<Pod>): Promise<void> => {
    const ready = readyCondition(pod);
    if (ready === undefined || ready.status === 'False') return;
    const condition = { ...ready, status: 'False', lastTransitionTime: now };
    try {
      await pods.patchStatus(keyOf(pod), podStatusPatch(pod, { conditions: [condition] }));
    } catch (error) {
      if (hasReason(error, 'NotFound') || hasReason(error, 'Conflict')) return; // gone, or a different pod with the same name
      throw error;
    }
    events.event(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  };
  await inParallel(concerned, mark, { limit: WRITES_AT_ONCE });
}
