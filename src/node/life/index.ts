// The life of a pod, decided without I/O.
export { type BackOff, backOffUntil, crashKey, nextBackOff, pullKey } from './back-off.ts';
export { CONTAINER_HASH, containerHash } from './container-hash.ts';
export { containerListOf } from './container-list.ts';
export { planPod, type PodAction, type PodPlan, type PodStage } from './pod-life.ts';
export type { ActuatedResources, PendingResize, ResizeProgress, ResizeState } from './resize-state.ts';
export { statusPatch } from './status-patch.ts';
export {
  type ContainerSpec,
  type ContainerView,
  describePod,
  type DeviceView,
  type Eviction,
  type PodMemory,
  type PodStatus,
  type PodView,
  type ProbeResult,
  type ResizeView,
  type StartFailure,
  timeMs,
  timeText,
} from './pod-view.ts';
