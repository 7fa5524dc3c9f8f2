// What other folders may use: nodes, what they need from a machine, and parts that backends share.
export {
  nodeAgent,
  type NodeAgentOptions,
  nodeAgents,
  type NodeAgentsOptions,
  nodeNames,
  type NodeOptions,
} from './node-agents.ts';
export { NodeAgent, type NodeAgentParts, type NodeTask } from './node-agent.ts';
export * from './backend/index.ts';
export * from './runtime/index.ts';
export { FileLogs, logOutput, OutputLog, type PodLogOptions, PodStreams, type StreamOptions } from './streams/index.ts';
export * from './server/index.ts';
export { NetworkActions } from './probes/index.ts';
export { RuntimeUsage } from './runtime-usage.ts';
export {
  containerIdentity,
  containerMounts,
  ExpansionBudget,
  expandVariables,
  hostsFile,
  sandboxConfig,
  terminationFile,
} from './config/index.ts';
export { type ContainerSpec, type PodStatus, timeMs } from './life/index.ts';
