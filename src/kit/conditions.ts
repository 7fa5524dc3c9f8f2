import type { Clock } from '../base/index.ts';
import type { KubernetesObject, Observed } from '../client/index.ts';

/** A condition as a reconciler reports it. */
export interface StatedCondition {
  /** In CamelCase: `Ready`. */
  readonly type: string;
  /** Whether the condition holds; 'Unknown' if that cannot be determined. */
  readonly status: boolean | 'True' | 'False' | 'Unknown';
  /** One word in CamelCase; default the type. */
  readonly reason?: string;
  readonly message?: string;
}

/** A condition in an object's status. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/**
 * The conditions for an object's status: each with the time at which its status last changed and the generation it was
 * observed at.
 */
export function conditionsOf(
  object: Observed<KubernetesObject>,
  stated: readonly StatedCondition[],
  clock: Pick<Clock, 'now'>,
): Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } };
  const known: readonly Partial<Condition>[] = Array.isArray(status?.conditions) ? status.conditions : [];
  const { generation } = object.metadata;
  return stated.map(({ type, status: is, reason = type, message = '' }) => {
    const word = typeof is === 'string' ? is : is ? 'True' : 'False';
    const before = known.find((condition) => condition.type === type);
    const since = before?.status === word ? before.lastTransitionTime : undefined;
    return {
      type,
      status: word,
      reason,
      message,
      lastTransitionTime: since ?? `${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  });
}
