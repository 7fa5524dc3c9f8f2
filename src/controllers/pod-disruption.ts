import type { Pod, PodCondition, PodStatus } from '../api/types/core/v1.d.ts';
import { type Patch, strategicPatch, type Observed } from '../client/index.ts';

export interface Disruption {
  /** One word: who disrupts the pod. */
  readonly reason: string;
  readonly message: string;
  /** The time, as conditions carry it. */
  readonly now: string;
}

/** The condition that says that a pod is about to be disrupted; undefined when the pod has it already. */
export function disruptionTarget(
  { metadata, status }: Observed<Pod>,
  { reason, message, now }: Disruption,
): PodCondition | undefined {
  const known = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const isSame = known?.status === 'True' && known.reason === reason && known.message === message;
  if (isSame) return undefined;
  const lastTransitionTime = known?.status === 'True' ? known.lastTransitionTime : now;
  const { generation: observedGeneration } = metadata;
  return { type: 'DisruptionTarget', observedGeneration, status: 'True', reason, message, lastTransitionTime };
}

/** Changes the status of this very pod, and not of another one of its name. Conditions keep their order. */
export function podStatusPatch(
  { metadata, status }: Observed<Pod>,
  { conditions = [], ...change }: Pick<PodStatus, 'phase' | 'observedGeneration' | 'conditions'>,
): Patch {
  const types = new Set([...(status?.conditions ?? []), ...conditions].map(({ type }) => type));
  const order = [...types].map((type) => ({ type }));
  const changed = conditions.length === 0 ? {} : { '$setElementOrder/conditions': order, conditions };
  return strategicPatch({ metadata: { uid: metadata.uid }, status: { ...change, ...changed } });
}
