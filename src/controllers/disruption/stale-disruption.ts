import { formatTime, instantOfMillis } from '../../api/client.ts';
import { isFinished } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { KubernetesObject, Observed, Sendable } from '../../client/index.ts';

const TARGET = 'DisruptionTarget';
const STALE_MS = 120_000;

/** Milliseconds until the pod's DisruptionTarget condition is stale; undefined when it has none that could be. */
export function untilStaleMs(pod: Observed<Pod>, nowMs: number): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) return undefined;
  const condition = pod.status?.conditions?.find(({ type }) => type === TARGET);
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? '') + STALE_MS - nowMs);
}

/** Whether the object has a DisruptionTarget condition that may become stale. */
export function mayBecomeStale(object: KubernetesObject | undefined): boolean {
  return (object as Pod | undefined)?.status?.conditions?.some(({ type }) => type === TARGET) ?? false;
}

/** The pod with its DisruptionTarget condition reset. */
export function undisrupted(pod: Observed<Pod>, nowMs: number): Sendable<Pod> {
  const condition = {
    type: TARGET,
    status: 'False',
    observedGeneration: pod.metadata.generation,
    lastTransitionTime: formatTime(instantOfMillis(nowMs)),
  };
  const conditions = pod.status?.conditions?.map((each) => (each.type === TARGET ? condition : each));
  return { ...pod, status: { ...pod.status, conditions } };
}
