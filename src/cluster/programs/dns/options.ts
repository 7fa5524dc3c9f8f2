import type { MachineNodeOptions } from '../machine-node/options.ts';
import type { Identity } from '../../in-process-client.ts';

/** The DNS server of a cluster with a real node. */
export interface ClusterDnsOptions {
  /** The address of the Service `kube-system/kube-dns`, which pods ask. */
  readonly serviceAddress: string;
  /** Where it listens; default the node's addresses, on a port that is free. */
  readonly listen?: readonly string[];
  /** The cluster's domain; default `cluster.local`. */
  readonly domain?: string;
  /** Seconds that resolvers may keep answers about the cluster; default 5. */
  readonly ttl?: number;
  /** Upstream servers, `none`, or a resolv.conf file to read them from; default the machine's. */
  readonly forward?: readonly string[];
  /** Networks whose clients may ask about names outside of the cluster, besides those of nodes and pods. */
  readonly allow?: readonly string[];
}

export interface DnsOptions extends MachineNodeOptions {
  /** Runs a DNS server for the pods of the real node; default there is none. */
  readonly dns?: ClusterDnsOptions;
}

export const IDENTITY: Identity = { user: 'system:keelson:dns', groups: [] };
