// The public entry point `keelson/node`: nodes as parts of an app, the interface of a node backend, and the simulated backend.
export {
  nodeAgent,
  type NodeAgentOptions,
  nodeAgents,
  type NodeAgentsOptions,
  nodeNames,
  type NodeOptions,
} from '../node/index.ts';
export type {
  ActionExecutor,
  BackendContext,
  BackendPolling,
  ContainerLogs,
  ImageService,
  Machine,
  NodeBackend,
  NodeDevices,
  NodeSettings,
  OpenNodeBackend,
  PodFiles,
  RuntimeService,
  UsageSource,
  VolumePlugin,
} from '../node/index.ts';
export { NO_DEVICES, RuntimeError } from '../node/index.ts';
export { simulatedBackend, type SimulatedBackendOptions } from './simulated-backend.ts';
