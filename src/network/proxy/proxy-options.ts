import type { Clock, Logger, MetricRegistry } from '../../base/index.ts';
import type { IpFamily } from '../services/index.ts';

/** How traffic from pods of the node is recognized, in KubeProxyConfiguration's words. */
export type LocalMode = 'ClusterCIDR' | 'NodeCIDR' | 'BridgeInterface' | 'InterfaceNamePrefix';

/** What rules look like, as the administrator wants them. */
export interface RuleOptions {
  /** The bit of packets' marks that is used; default 14. */
  readonly masqueradeBit?: number;
  readonly masqueradeAll?: boolean;
  /** Default ClusterCIDR. */
  readonly detectLocalMode?: LocalMode;
  /** The ranges of all pods, for ClusterCIDR. */
  readonly clusterCidrs?: readonly string[];
  /** With ClusterCIDR, takes the node's own ranges of pods where `clusterCidrs` has none; default false. */
  readonly usesNodeCidrs?: boolean;
  /** For BridgeInterface. */
  readonly bridgeInterface?: string;
  /** For InterfaceNamePrefix. */
  readonly interfaceNamePrefix?: string;
  /** Ranges of the addresses that node ports are served on; default: the node's own addresses. */
  readonly nodePortAddresses?: 'primary' | readonly string[];
  /** The node's address, in place of the one that the API has. */
  readonly nodeAddress?: string | undefined;
}

/** What the parts of a proxy have in common. */
export interface ProxyTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
}

export const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];
