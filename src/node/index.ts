// What other folders may use: nodes, what they need from a machine, and parts that backends share.
export {
  nodeAgent,
  type NodeAgentOptions,
  nodeAgents,
  type NodeAgentsOptions,
  nodeNames,
  type NodeOptions,
} from './node-agents.ts';
export type { NodeAgentParts, NodeTask } from './compose-agent.ts';
export { NodeAgent } from './node-agent.ts';
export type { PodNetwork } from './pod-network.ts';
export * from './backend/index.ts';
export * from './runtime/index.ts';
export type * from './eviction/index.ts';
export type { ChangeDetection } from './objects/index.ts';
export type { NodeShutdownOptions, ShutdownPeriod, ShutdownSource } from './shutdown/index.ts';
export {
  type CredentialPlugin,
  credentialsOf,
  type NodeImageOptions,
  type PulledRecord,
  type PullRecords,
  type RegistryCredential,
  type VerificationPolicy,
} from './images/index.ts';
export { FileLogs, logOutput, OutputLog, type PodLogOptions, PodStreams, type StreamOptions } from './streams/index.ts';
export { VolumeNotReady } from './volumes/index.ts';
export { PodResourcesSocket } from './pod-resources/pod-resources-socket.ts';
export * from './server/index.ts';
export { NetworkActions } from './probes/index.ts';
export { ServiceAccountTokens } from './volumes/index.ts';
export { goChecksum } from './checkpoint-checksum.ts';
export { RuntimeUsage } from './runtime-usage.ts';
export { allocatableOf } from './machine/index.ts';
export { Timings } from './timings.ts';
export { type MetricRow, MetricTable } from './metric-table.ts';
export {
  containerIdentity,
  containerMounts,
  ExpansionBudget,
  expandVariables,
  type CgroupDriver,
  type CgroupName,
  cgroupNameOf,
  cgroupPath,
  DEFAULT_RULES,
  hostsFile,
  KUBEPODS,
  type MemoryQuality,
  podCgroupLimits,
  podCgroupName,
  type PodCgroupPlace,
  qosCgroupName,
  type ResourceRules,
  sandboxConfig,
  shares,
  type SwapRules,
  terminationFile,
} from './config/index.ts';
export { type ContainerSpec, type PodStatus, timeMs } from './life/index.ts';
