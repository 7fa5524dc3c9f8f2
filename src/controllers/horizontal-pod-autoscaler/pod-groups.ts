import { isTerminating, readyCondition } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { PodMetric, PodMetrics } from './metric-apis.ts';

/** When a pod's CPU usage is representative. */
export interface Warmup {
  /** A pod that started within this time counts only with samples taken while it was ready. */
  readonly cpuInitializationPeriodMs: number;
  /** A pod that became unready within this time after its start counts as never ready. */
  readonly initialReadinessDelayMs: number;
  readonly nowMs: number;
}

/** Pods by how their samples are used. */
export interface PodGroups {
  /** Samples that count, including those of unknown pods. */
  readonly counted: PodMetrics;
  readonly readyCount: number;
  readonly unready: readonly string[];
  /** Pods without a sample. */
  readonly missing: readonly string[];
}

/** Groups the pods; `resource` is the measured resource, if it is one. */
export function groupPods(
  pods: readonly Observed<Pod>[],
  metrics: PodMetrics,
  { resource, warmup }: { readonly resource?: string | undefined; readonly warmup: Warmup },
): PodGroups {
  const counted = new Map(metrics);
  const unready: string[] = [];
  const missing: string[] = [];
  let readyCount = 0;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const metric = metrics.get(name);
    if (isTerminating(pod) || pod.status?.phase === 'Failed') counted.delete(name);
    else if (
      pod.status?.phase === 'Pending' ||
      (resource === 'cpu' && metric !== undefined && isWarming(pod, metric, warmup))
    ) {
      counted.delete(name);
      unready.push(name);
    } else if (metric === undefined) missing.push(name);
    else readyCount++;
  }
  return { counted, readyCount, unready, missing };
}

function isWarming(pod: Observed<Pod>, metric: PodMetric, warmup: Warmup): boolean {
  const { cpuInitializationPeriodMs, initialReadinessDelayMs, nowMs } = warmup;
  const condition = readyCondition(pod);
  const { startTime } = pod.status ?? {};
  if (condition === undefined || startTime === undefined) return true;
  const startedMs = Date.parse(startTime);
  const changedMs = Date.parse(condition.lastTransitionTime ?? '0001-01-01T00:00:00Z');
  const isUnready = condition.status === 'False';
  if (startedMs + cpuInitializationPeriodMs > nowMs)
    return isUnready || metric.timestampMs < changedMs + metric.windowMs;
  return isUnready && startedMs + initialReadinessDelayMs > changedMs;
}
