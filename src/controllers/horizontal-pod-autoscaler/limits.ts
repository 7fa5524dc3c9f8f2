import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../api/types/autoscaling/v2.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { ScaleHistory } from './scale-history.ts';

type Rules = DeepReadonly<HPAScalingRules>;

/** The recommendation of the metrics, with the limits that apply. */
export interface Recommendation {
  readonly current: number;
  readonly recommended: number;
  readonly min: number;
  readonly max: number;
  readonly nowMs: number;
  /** Default stabilization window for scaling down; the behavior may override it. */
  readonly downscaleStabilizationMs: number;
}

/** A number with the condition that explains it. */
interface Reasoned {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

/** The replicas after all limits, and why. */
export interface Bounded {
  readonly replicas: number;
  readonly ability: { readonly reason: string; readonly message: string };
  readonly limit: { readonly isLimited: boolean; readonly reason: string; readonly message: string };
}

const READY = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const DOWN_STABILIZED = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const UP_STABILIZED = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const TOO_MANY = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FEW = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const UP_LIMIT = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const DOWN_LIMIT = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const WITHIN = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };

/** Without a behavior: scaling up at most doubles the replicas, or goes to four. */
const UP_FACTOR = 2;
const UP_MINIMUM = 4;

/** Limits a recommendation when there is no behavior. Records the recommendation. */
export function boundByDefault(wish: Recommendation, history: ScaleHistory): Bounded {
  const { recommended, nowMs, downscaleStabilizationMs: windowMs } = wish;
  const stable = Math.max(recommended, ...history.since(nowMs - windowMs, { isInclusive: true }));
  history.recommend(recommended, nowMs, windowMs);
  return bounded(stable, stable === recommended ? READY : DOWN_STABILIZED, byDefault(wish, stable));
}

function byDefault({ current, min, max }: Recommendation, desired: number): Reasoned {
  const fastest = Math.max(UP_FACTOR * current, UP_MINIMUM);
  if (desired < min) return { replicas: min, ...TOO_FEW };
  if (desired > Math.min(max, fastest))
    return max > fastest ? { replicas: fastest, ...UP_LIMIT } : { replicas: max, ...TOO_MANY };
  return { replicas: desired, ...WITHIN };
}

/** The same with the behavior's policies for both directions. */
export function boundByBehavior(
  wish: Recommendation,
  history: ScaleHistory,
  { scaleUp = {}, scaleDown = {} }: DeepReadonly<HorizontalPodAutoscalerBehavior>,
): Bounded {
  const { current, recommended, nowMs } = wish;
  const upWindowMs = (scaleUp.stabilizationWindowSeconds ?? 0) * 1000;
  const downSeconds = scaleDown.stabilizationWindowSeconds ?? Math.trunc(wish.downscaleStabilizationMs / 1000);
  const lowest = Math.min(recommended, ...history.since(nowMs - upWindowMs));
  const highest = Math.max(recommended, ...history.since(nowMs - downSeconds * 1000));
  const stable = Math.min(Math.max(current, lowest), highest);
  history.recommend(recommended, nowMs, Math.max(upWindowMs, downSeconds * 1000));
  const stabilized = recommended >= current ? UP_STABILIZED : DOWN_STABILIZED;
  const allowed =
    stable > current
      ? upwards(wish, stable, rateLimit(scaleUp, wish, history))
      : stable < current
        ? downwards(wish, stable, rateLimit(scaleDown, wish, history, -1))
        : { replicas: stable, ...WITHIN };
  return bounded(stable, stable === recommended ? READY : stabilized, allowed);
}

function upwards({ current, max }: Recommendation, desired: number, limit: number): Reasoned {
  const fastest = Math.max(limit, current);
  if (desired <= Math.min(max, fastest)) return { replicas: desired, ...WITHIN };
  return max > fastest ? { replicas: fastest, ...UP_LIMIT } : { replicas: max, ...TOO_MANY };
}

function downwards({ current, min }: Recommendation, desired: number, limit: number): Reasoned {
  const fastest = Math.min(limit, current);
  if (desired >= Math.max(min, fastest)) return { replicas: desired, ...WITHIN };
  return min < fastest ? { replicas: fastest, ...DOWN_LIMIT } : { replicas: min, ...TOO_FEW };
}

/** The maximum number of replicas that the policies allow, or the minimum for direction -1. */
function rateLimit(
  { selectPolicy = 'Max', policies = [] }: Rules,
  { current, nowMs }: Recommendation,
  history: ScaleHistory,
  direction: 1 | -1 = 1,
): number {
  if (selectPolicy === 'Disabled') return current;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const before = current - history.growthSince(nowMs - periodSeconds * 1000);
    if (type === 'Pods') return before + direction * value;
    const share = before * (1 + (direction * value) / 100);
    return direction > 0 ? Math.ceil(share) : Math.trunc(share);
  });
  const isLargest = (selectPolicy === 'Min') === direction < 0;
  return isLargest ? Math.max(...proposals) : Math.min(...proposals);
}

/** The longest period of any policy, in milliseconds. */
export function longestPeriodMs({ scaleUp, scaleDown }: DeepReadonly<HorizontalPodAutoscalerBehavior>): number {
  const periods = [...(scaleUp?.policies ?? []), ...(scaleDown?.policies ?? [])];
  return Math.max(0, ...periods.map(({ periodSeconds }) => periodSeconds)) * 1000;
}

function bounded(stable: number, ability: Bounded['ability'], { replicas, reason, message }: Reasoned): Bounded {
  return { replicas, ability, limit: { isLimited: replicas !== stable, reason, message } };
}
