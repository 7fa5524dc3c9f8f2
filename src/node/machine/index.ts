// A node as a machine: what it says of itself, and that it is alive.
export {
  CHECK_EVERY_MS,
  type HeartbeatParts,
  LEASE_SECONDS,
  NodeHeartbeat,
  RENEW_EVERY_MS,
  REPORT_EVERY_MS,
} from './node-heartbeat.ts';
export { hasRecursiveReadOnly, type NodeHealth } from './node-health.ts';
export { allocatableOf, type DescribedNode, nodeLabels } from './node-object.ts';
