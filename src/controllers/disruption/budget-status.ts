import { formatTime, instantOfMillis } from '../../api/client.ts';
import { isReady } from '../../api/meaning/index.ts';
import type { Condition } from '../../api/types/meta/v1.d.ts';
import type { PodDisruptionBudgetStatus } from '../../api/types/policy/v1.d.ts';
import { deepEqual, type DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod, PodDisruptionBudget } from '../../client/index.ts';
import type { ExpectedPods } from './expected-pods.ts';

/** A disrupted pod that is not being deleted after this time counts as healthy again. */
const DELETION_TIMEOUT_MS = 120_000;
const ALLOWED = 'DisruptionAllowed';

/** Pods whose eviction was approved and that are not being deleted yet. */
export interface DisruptedPods {
  readonly disrupted: Readonly<Record<string, string>>;
  /** Disrupted pods past the deletion timeout. */
  readonly late: readonly Observed<Pod>[];
  /** Milliseconds until the next pod passes the deletion timeout. */
  readonly untilLateMs: number | undefined;
}

export function disruptedPods(
  { status }: Observed<PodDisruptionBudget>,
  pods: readonly Observed<Pod>[],
  nowMs: number,
): DisruptedPods {
  const disrupted: Record<string, string> = {};
  const late: Observed<Pod>[] = [];
  let untilLateMs: number | undefined;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const time = status?.disruptedPods?.[name];
    if (time === undefined || deletionTimestamp !== undefined) continue;
    const leftMs = Date.parse(time) + DELETION_TIMEOUT_MS - nowMs;
    if (leftMs < 0) late.push(pod);
    else {
      disrupted[name] = time;
      untilLateMs = Math.min(leftMs, untilLateMs ?? Infinity);
    }
  }
  return { disrupted, late, untilLateMs };
}

/** The new status of a budget; undefined when it is unchanged. */
export function budgetStatus(
  { metadata, status }: Observed<PodDisruptionBudget>,
  pods: readonly Observed<Pod>[],
  {
    expected,
    disrupted,
    nowMs,
  }: { expected: ExpectedPods; disrupted: Readonly<Record<string, string>>; nowMs: number },
): PodDisruptionBudgetStatus | undefined {
  const isHealthy = (pod: Observed<Pod>): boolean =>
    isReady(pod) && pod.metadata.deletionTimestamp === undefined && disrupted[pod.metadata.name] === undefined;
  const { expectedPods, desiredHealthy } = expected;
  const currentHealthy = pods.filter(isHealthy).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const { generation: observedGeneration = 0 } = metadata;
  const numbers = { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, observedGeneration };
  const isAllowed = disruptionsAllowed > 0;
  const finding = { status: isAllowed ? 'True' : 'False', reason: isAllowed ? 'SufficientPods' : 'InsufficientPods' };
  const before = status?.conditions?.find(({ type }) => type === ALLOWED);
  const isSame =
    Object.entries(numbers).every(([name, value]) => status?.[name as keyof typeof numbers] === value) &&
    deepEqual(status?.disruptedPods ?? {}, disrupted) &&
    before?.status === finding.status &&
    before.reason === finding.reason;
  if (isSame) return undefined;
  const condition = { type: ALLOWED, ...finding, message: '', observedGeneration };
  return {
    ...numbers,
    disruptedPods: { ...disrupted },
    conditions: withCondition(status?.conditions, condition, nowMs),
  };
}

/** The status of a budget that cannot be computed: no disruptions are allowed. */
export function failedStatus(
  { status }: Observed<PodDisruptionBudget>,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const { observedGeneration, conditions } = status ?? {};
  const reason = 'SyncFailed';
  const condition = {
    type: ALLOWED,
    status: 'False',
    reason,
    message,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  const numbers = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status, disruptionsAllowed: 0 };
  return {
    ...numbers,
    disruptedPods: { ...numbers.disruptedPods },
    conditions: withCondition(conditions, condition, nowMs),
  };
}

function withCondition(
  conditions: DeepReadonly<Condition[]> = [],
  condition: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): Condition[] {
  const position = conditions.findIndex(({ type }) => type === condition.type);
  const known = conditions[position];
  const now = formatTime(instantOfMillis(nowMs));
  const lastTransitionTime = known?.status === condition.status ? known.lastTransitionTime : now;
  const finding = { ...condition, lastTransitionTime };
  return known === undefined ? [...conditions, finding] : conditions.with(position, finding);
}
