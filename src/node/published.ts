// The published door `keelson/node`: nodes as parts of an app.
export {
  nodeAgent,
  type NodeAgentOptions,
  nodeAgents,
  type NodeAgentsOptions,
  nodeNames,
  type NodeOptions,
} from './node-agents.ts';
