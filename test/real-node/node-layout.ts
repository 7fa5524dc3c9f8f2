import { join } from 'node:path';

/** Places and addresses of a node's parts inside its namespaces. */
export interface NodeLayout {
  readonly name: string;
  /** The node's own address; the first node's is the API server's and the DNS server's too. */
  readonly address: string;
  /** Addresses of its pods. */
  readonly podRange: string;
  /** Files of the rig: configurations, credentials, logs, containers. */
  readonly folder: string;
  readonly runtimeSocket: string;
  /** Where the runtime finds the configuration of the pod network. */
  readonly networkFolder: string;
  /** Where the runtime finds further network plugins, besides those of the CNI project. */
  readonly pluginFolder: string;
  /** Folder of programs that the parts find by name. */
  readonly programs: string;
  /** What stands before a command that runs in the node's namespaces; nothing for the first node, whose namespaces are the run's. */
  readonly enter: readonly string[];
  /** The control group of its processes below the run's own. */
  readonly controlGroup: string;
}

/** Address of the first node on the bridge of all nodes; the API server and the DNS server listen there too. */
export const NODE_ADDRESS = '10.10.0.2';
/** Addresses of all pods; each node has a part of it. */
export const CLUSTER_RANGE = '10.244.0.0/16';
export const DNS_ADDRESS = '10.96.0.10';
export const DNS_DOMAIN = 'cluster.local';
/** How many nodes fit into the ranges of addresses. */
export const MAX_NODES = 8;

/** The layout of the first, second … node of a run; `room` is the folder of the run. */
export function nodeLayout(room: string, number = 1): NodeLayout {
  const name = `node-${number}`;
  const folder = number === 1 ? room : join(room, name);
  return {
    name,
    address: `10.10.0.${number + 1}`,
    podRange: `10.244.${number - 1}.0/24`,
    folder,
    runtimeSocket: '/run/containerd/containerd.sock',
    networkFolder: '/etc/cni/net.d',
    pluginFolder: join(folder, 'plugins'),
    programs: join(folder, 'programs'),
    enter: number === 1 ? [] : ['bash', join(folder, 'enter.sh')],
    controlGroup: number === 1 ? '/' : `/${name}`,
  };
}

/** A program of a node with its arguments. */
export interface PartCommand {
  readonly program: string;
  readonly args: readonly string[];
}
