// Evictions of pods by a node that runs out of something.
export { type EvictionOptions, NodeEvictions, type NodeEvictionsParts, type NodeMeter } from './node-evictions.ts';
export { isCriticalPod } from './rank-pods.ts';
export type {
  ContainerMeasurement,
  SpaceUsage,
  EvictionSignal,
  NodeMeasurement,
  Observation,
  PodMeasurement,
} from './signals.ts';
