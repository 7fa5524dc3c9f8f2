// What suites and benchmarks may use: a node with real containers, in namespaces of its own.
export { isInNamespaces, type NamespacesOptions, runInNamespaces, whyNoNamespaces } from './namespaces.ts';
export { type AgentName, nodeAgents } from './node-agent.ts';
export {
  clusterFlags,
  type ClusterFlagValues,
  type ClusterParts,
  isAgent,
  NETWORK_USAGE,
  readCluster,
} from './cluster-flags.ts';
export { defaultNetwork, type NetworkParts } from './network-parts.ts';
export { type NodePart, nodeParts, type RealNode } from './node-processes.ts';
export { type RealNodeOptions, startRealNode, whyNoRealNode } from './real-node.ts';
export { type ClusterMode, type RealCluster, type RealClusterOptions, startRealCluster } from './real-cluster.ts';
