import { formatTime, instantOfMillis } from '../../api/index.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { PodCondition } from '../../api/types/core/v1.d.ts';
import { type Observed, type Patch, type Pod, strategicPatch } from '../../client/index.ts';

export interface ScheduledVerdict {
  /** The pod cannot be scheduled, or the scheduler has failed. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
}

/** The patch of a pod's status that says why it has no node; undefined when it says so already. */
export function scheduledPatch(pod: Observed<Pod>, verdict: ScheduledVerdict, nowMs: number): Patch | undefined {
  const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (known !== undefined && isSame(known, verdict)) return undefined;
  const isTransition = known?.status !== 'False';
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    observedGeneration: pod.metadata.generation,
    lastProbeTime: null,
    lastTransitionTime: isTransition ? formatTime(instantOfMillis(nowMs)) : known?.lastTransitionTime,
    ...verdict,
  };
  return strategicPatch({ status: { conditions: [condition] } });
}

function isSame(known: DeepReadonly<PodCondition>, verdict: ScheduledVerdict): boolean {
  return known.status === 'False' && known.reason === verdict.reason && known.message === verdict.message;
}
