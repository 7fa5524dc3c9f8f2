// What other folders may use: nodes, and what runs their containers.
export {
  nodeAgent,
  type NodeAgentOptions,
  nodeAgents,
  type NodeAgentsOptions,
  nodeNames,
  type NodeOptions,
} from './node-agents.ts';
export { NodeAgent, type NodeAgentParts, type NodeTask } from './node-agent.ts';
export { DEFAULT_CAPACITY, type NodeDescription, type RuntimeFactory } from './machine/index.ts';
export * from './runtime/index.ts';
export { type PodLogOptions, PodStreams, type StreamOptions } from './streams/index.ts';
export * from './server/index.ts';
export * from './simulated/index.ts';
export { MOST_SIMULATED_DEVICES, type SimulatedDevices, simulatedDevices } from './devices/index.ts';
