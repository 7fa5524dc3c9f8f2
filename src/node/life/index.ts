// The life of a pod, decided without I/O.
export { type BackOff, backOffUntil, crashKey, nextBackOff, pullKey } from './back-off.ts';
export type { Eviction } from './active-deadline.ts';
export { planPod, type PodAction, type PodPlan, type PodStage } from './pod-life.ts';
export { statusPatch } from './status-patch.ts';
export {
  type ContainerSpec,
  type ContainerView,
  describePod,
  type PodMemory,
  type PodStatus,
  type PodView,
  type ProbeResult,
  type StartFailure,
  timeMs,
  timeText,
} from './pod-view.ts';
