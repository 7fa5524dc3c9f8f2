import { formatTime, instantOfMillis } from '../../api/client.ts';
import { isFinished } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { KubernetesObject, Observed, Sendable } from '../../client/index.ts';

const TARGET = 'DisruptionTarget';
const STALE_MS = 120_000;

/** Milliseconds until what a pod says of its disruption is too old; undefined when it says nothing that could be. */
export function untilStaleMs(pod: Observed<Pod>, nowMs: number): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) return undefined;
  const condition = pod.status?.conditions?.find(({ type }) => type === TARGET);
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? '') + STALE_MS - nowMs);
}

/** Whether the object says that it is disrupted, which may turn out to be too old. */
export function mayBecomeStale(object: KubernetesObject | undefined): boolean {
  return (object as Pod | undefined)?.status?.conditions?.some(({ type }) => type === TARGET) ?? false;
}

/** The pod, no longer said to be disrupted. */
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
