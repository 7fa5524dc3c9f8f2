// What suites and benchmarks may use: a node with real containers, in namespaces of its own.
export { isInNamespaces, type NamespacesOptions, runInNamespaces, whyNoNamespaces } from './namespaces.ts';
export { type AgentName, nodeAgents } from './node-agent.ts';
export {
  type NodePart,
  nodeParts,
  type RealNode,
  type RealNodeOptions,
  startRealNode,
  whyNoRealNode,
} from './real-node.ts';
export { type RealCluster, type RealClusterOptions, startRealCluster } from './real-cluster.ts';
