import { formatTime, instantOfMillis } from '../../api/client.ts';
import type { DeploymentCondition } from '../../api/types/apps/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';

export type Condition = DeepReadonly<DeploymentCondition>;
export type ConditionType = 'Available' | 'Progressing' | 'ReplicaFailure';

/** The content of a condition. */
export interface Finding {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function findCondition(conditions: readonly Condition[], type: ConditionType): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: readonly Condition[], type: ConditionType): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** A condition with the current time. */
export function newCondition({ type, status, reason, message }: Finding, nowMs: number): Condition {
  const now = formatTime(instantOfMillis(nowMs));
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

/**
 * The conditions with this one appended or replaced. Unchanged when status and reason are the same; the transition time
 * is kept when the status is.
 */
export function withCondition(conditions: readonly Condition[], condition: Condition): readonly Condition[] {
  const type = condition.type as ConditionType;
  const known = findCondition(conditions, type);
  if (known?.status === condition.status && known.reason === condition.reason) return conditions;
  const isSameStatus = known?.status === condition.status && known.lastTransitionTime !== undefined;
  const added = isSameStatus ? { ...condition, lastTransitionTime: known.lastTransitionTime } : condition;
  return [...withoutCondition(conditions, type), added];
}
