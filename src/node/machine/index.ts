// A node as a machine: what it says of itself, and that it is alive.
export { type HeartbeatParts, NodeHeartbeat } from './node-heartbeat.ts';
export { nodeLabels } from './node-object.ts';
export {
  DEFAULT_CAPACITY,
  defaultAddress,
  defaultPodCidr,
  type NodeDescription,
  type RuntimeFactory,
} from './node-options.ts';
