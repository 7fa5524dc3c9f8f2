import type { Pod, PodCondition, PodStatus } from '../api/types/core/v1.d.ts';
import { type Patch, strategicPatch, type Observed } from '../client/index.ts';

export interface Disruption {
  /** A CamelCase word that names the cause. */
  readonly reason: string;
  readonly message: string;
  /** The time in the format of conditions. */
  readonly now: string;
}

/** The DisruptionTarget condition; undefined when the pod already has it. */
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

/** Patches the status of the pod with this uid, not of another pod with its name. Conditions keep their order. */
export function podStatusPatch(
  { metadata, status }: Observed<Pod>,
  { conditions = [], ...change }: Pick<PodStatus, 'phase' | 'observedGeneration' | 'conditions'>,
): Patch {
  const types = new Set([...(status?.conditions ?? []), ...conditions].map(({ type }) => type));
  const order = [...types].map((type) => ({ type }));
  const changed = conditions.length === 0 ? {} : { '$setElementOrder/conditions': order, conditions };
  return strategicPatch({ metadata: { uid: metadata.uid }, status: { ...change, ...changed } });
}
