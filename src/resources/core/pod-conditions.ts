import { formatTime, instantOfMillis } from '../../api/index.ts';
import type { PodCondition, PodStatus } from '../../api/types/core/v1.d.ts';
import { withMembers } from '../../base/index.ts';

/** A condition without its times. */
export interface NewCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** A status with one condition set. Its transition time is now, unless it had the same status before. */
export function withCondition(status: PodStatus, condition: NewCondition, now: number): PodStatus {
  const { type, reason, message } = condition;
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex((known) => known.type === type);
  const known = conditions[index];
  const isSame = known !== undefined && known.status === condition.status;
  const added = {
    type,
    status: condition.status,
    lastProbeTime: null, // printed though it is never set
    lastTransitionTime: isSame ? known.lastTransitionTime : formatTime(instantOfMillis(now)),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  } as unknown as PodCondition;
  return withMembers(status, { conditions: index < 0 ? [...conditions, added] : conditions.with(index, added) });
}
