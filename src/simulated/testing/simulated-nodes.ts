// Simulated nodes on an API server in this process, in virtual time, for tests.
import { nodeAgents, type NodeAgentsOptions } from '../../node/index.ts';
import { NodeCluster } from '../../node/testing/node-cluster.ts';
import { simulatedBackend } from '../index.ts';

export function startNodes(options: Partial<NodeAgentsOptions> = {}): Promise<NodeCluster> {
  return NodeCluster.start(nodeAgents({ backend: simulatedBackend(), ...options }));
}
