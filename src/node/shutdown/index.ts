// Ending pods before a machine shuts down.
export {
  NodeShutdown,
  type NodeShutdownOptions,
  type NodeShutdownParts,
  type ShutdownSource,
} from './node-shutdown.ts';
export type { ShutdownPeriod } from './shutdown-groups.ts';
