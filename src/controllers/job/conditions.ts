import type { JobCondition } from '../../api/types/batch/v1.d.ts';

/** The content of a condition. */
export interface ConditionText {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export function newCondition({ type, status, reason, message }: ConditionText, now: string): JobCondition {
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/**
 * The conditions with this one; undefined when nothing changes. A condition that would be added as False is not added.
 */
export function withCondition(
  conditions: readonly JobCondition[],
  text: ConditionText,
  now: string,
): JobCondition[] | undefined {
  const position = conditions.findIndex(({ type }) => type === text.type);
  const known = conditions[position];
  if (known === undefined) return text.status === 'True' ? [...conditions, newCondition(text, now)] : undefined;
  const { status, reason, message } = text;
  if (known.status === status && known.reason === reason && known.message === message) return undefined;
  return conditions.with(position, newCondition(text, now));
}

/** The condition, if it is True. */
export function findTrue(conditions: readonly JobCondition[] | undefined, type: string): JobCondition | undefined {
  return conditions?.find((condition) => condition.type === type && condition.status === 'True');
}
