// Probes and lifecycle hooks.
export { LifecycleHooks } from './lifecycle-hooks.ts';
export { NetworkActions } from './network-actions.ts';
export { hasProbes, PodProbes, type ProbeRecord } from './pod-probes.ts';
