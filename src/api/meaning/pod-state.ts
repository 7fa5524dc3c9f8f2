import type { Pod, PodCondition } from '../types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';

type SomePod = DeepReadonly<Pod>;

/** Whether the pod has a node. */
export function isAssigned(pod: SomePod): boolean {
  return (pod.spec?.nodeName ?? '') !== '';
}

/** Whether a pod in this phase has ended. */
export function isTerminalPhase(phase: string | undefined): phase is 'Succeeded' | 'Failed' {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether all containers of the pod have ended. */
export function isFinished(pod: SomePod): boolean {
  return isTerminalPhase(pod.status?.phase);
}

/** Whether the pod runs or will run: it is neither finished nor being deleted. */
export function isActive(pod: SomePod): boolean {
  return !isFinished(pod) && pod.metadata?.deletionTimestamp === undefined;
}

/** Whether the pod is being deleted and has not ended yet. */
export function isTerminating(pod: SomePod): boolean {
  return !isFinished(pod) && pod.metadata?.deletionTimestamp !== undefined;
}

export function readyCondition(pod: SomePod): DeepReadonly<PodCondition> | undefined {
  return pod.status?.conditions?.find(({ type }) => type === 'Ready');
}

export function isReady(pod: SomePod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** When the pod became ready, in milliseconds since the epoch; undefined if it is not ready or has no time. */
export function readySince(pod: SomePod): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True') return undefined;
  return condition.lastTransitionTime === undefined ? undefined : Date.parse(condition.lastTransitionTime);
}

/** Whether the pod has been ready for `minReadySeconds` at `nowMs`. */
export function isAvailable(pod: SomePod, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/** Milliseconds until the next of the pods becomes available, if all stay ready; undefined if none will. */
export function nextAvailableInMs(
  pods: readonly SomePod[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  let next: number | undefined;
  for (const pod of pods) {
    const since = readySince(pod);
    if (since === undefined) continue;
    const inMs = since + minReadySeconds * 1000 - nowMs;
    if (inMs > 0 && (next === undefined || inMs < next)) next = inMs;
  }
  return next;
}
