import { defaultNetwork, NETWORK_NAMES, type NetworkParts, readNetwork } from './network-parts.ts';
import { type AgentName, nodeAgents } from './node-agent.ts';
import { MAX_NODES } from './node-layout.ts';
import type { ClusterMode } from './real-cluster.ts';

/** What a cluster with real nodes consists of. */
export interface ClusterParts {
  readonly controlPlane: 'keelson' | 'kube';
  readonly agent: AgentName;
  readonly mode: ClusterMode;
  readonly network: NetworkParts;
  readonly nodes: number;
}

/** Flags that choose it, for parseArgs(). */
export const clusterFlags = {
  server: { type: 'string', default: 'keelson' },
  node: { type: 'string' },
  proxy: { type: 'string' },
  dns: { type: 'string' },
  policy: { type: 'string' },
  mode: { type: 'string', default: 'parts' },
  nodes: { type: 'string' },
} as const;

/** What parseArgs() finds. */
export type ClusterFlagValues = { readonly [flag in keyof typeof clusterFlags]?: string | undefined };

/** Help for the parts of a node's network. */
export const NETWORK_USAGE = `  --proxy ${NETWORK_NAMES.proxy.join('|')}
                         What makes addresses of Services work on a real node
  --dns ${NETWORK_NAMES.dns.join('|')}
                         What answers for names of Services
  --policy ${NETWORK_NAMES.policy.join('|')}  What enforces NetworkPolicies; these three default to Keelson's own beside its agent, and to Kubernetes' beside a kubelet
  --mode parts|up        A process for each part (default), or all but containerd as one process of "keelson up", with its own network`;

/** Reads the flags; an Error says what is wrong with one. The agent is the kubelet, and in mode `up` Keelson's own, when none is named. */
export function readCluster(flags: ClusterFlagValues): ClusterParts {
  const { server = 'keelson', mode = 'parts' } = flags;
  if (server !== 'keelson' && server !== 'kube') throw new Error(`--server must be keelson or kube, got "${server}"`);
  if (mode !== 'parts' && mode !== 'up') throw new Error(`--mode must be parts or up, got "${mode}"`);
  const agent = flags.node ?? (mode === 'up' ? 'keelson' : 'kubelet');
  if (!isAgent(agent)) throw new Error(`--node must be ${Object.keys(nodeAgents).join(' or ')}, got "${agent}"`);
  if (mode === 'up') {
    if (server !== 'keelson' || agent !== 'keelson')
      throw new Error('--mode up is a cluster of Keelson alone: give --node keelson, and no other --server');
    const chosen = (['proxy', 'dns', 'policy'] as const).find((part) => flags[part] !== undefined);
    if (chosen !== undefined) throw new Error(`--${chosen} chooses a part of a node in mode parts, not in mode up`);
  }
  const network = mode === 'up' ? defaultNetwork(agent) : readNetwork(flags, agent);
  return { controlPlane: server, agent, mode, network, nodes: countOf(flags.nodes ?? '1') };
}

export function isAgent(name: string): name is AgentName {
  return Object.hasOwn(nodeAgents, name);
}

function countOf(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_NODES) return count;
  throw new Error(`--nodes must be a number from 1 to ${MAX_NODES}, got "${text}"`);
}
