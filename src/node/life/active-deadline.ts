import { type Eviction, type PodView, timeMs } from './pod-view.ts';

/** The end of `activeDeadlineSeconds`, if the pod has it. */
export function activeDeadline({ pod, memory }: PodView): number | undefined {
  const startMs = timeMs(memory.status.startTime);
  const seconds = pod.spec?.activeDeadlineSeconds;
  return startMs === undefined || seconds === undefined ? undefined : startMs + seconds * 1000;
}

export function pastDeadline(view: PodView): Eviction | undefined {
  const deadlineMs = activeDeadline(view);
  if (deadlineMs === undefined || view.nowMs < deadlineMs) return undefined;
  return { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' };
}
