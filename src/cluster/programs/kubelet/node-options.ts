import type { OpenNodeBackend } from '../../../node/index.ts';
import { nodeNames } from '../../../node/index.ts';
import type { ImageCommands } from '../../../processes/index.ts';
import type { SimulatedMachine } from '../../../simulated/index.ts';
import type { SharedOptions } from '../program.ts';

/** How images become processes. */
export interface RunImagesOptions {
  readonly commands: ImageCommands;
  /** Where their volumes and logs are while this process runs; default `.keelson/run` in the home folder. */
  readonly folder?: string;
  /** Whether to try to mount volumes at their paths; default true. */
  readonly mountsVolumes?: boolean;
  /** Called with all that their programs print, besides the logs. */
  readonly onOutput?: (bytes: Uint8Array) => void;
}

/** The nodes of a cluster. */
export interface NodesOptions {
  /** How many nodes there are; default 1. */
  readonly nodes?: number;
  /**
   * The name of a single node, and the prefix of the names of several. Default `keelson`; on a store that other processes may use,
   * followed by machine and port, since no two processes may run the same node.
   */
  readonly nodeName?: string;
  /** Opens a port for each node, where it answers as a kubelet does; default false. */
  readonly nodeEndpoints?: boolean;
  /** Opens what these nodes run on; default simulated nodes. */
  readonly nodeBackend?: OpenNodeBackend;
  /**
   * Opens the sockets of device plugins of simulated nodes: `device-plugins/kubelet.sock` in this folder, which takes the place of
   * `/var/lib/kubelet`; with several nodes in a folder for each node, named for it. Default none.
   */
  readonly pluginDir?: string;
  /**
   * The machine that each simulated node runs on, with sockets, NUMA nodes, cores and threads, and how the CPU, memory and topology managers
   * assign them to containers; default 8 processors and 16Gi that are assigned to none.
   */
  readonly simulatedMachine?: SimulatedMachine;
  /** Containers of these images run as processes of this machine, as its user; default none. */
  readonly runImages?: RunImagesOptions;
  /** Whether `metrics.k8s.io` shows what simulated nodes and their pods use, for `kubectl top`; default true. */
  readonly simulatedMetrics?: boolean;
}

/** What decides the names of a cluster's nodes. */
export type NamingOptions = NodesOptions & Pick<SharedOptions, 'hostname' | 'serving'>;

/** The name that the nodes of one process have in common. */
export function nodesName({ nodeName, hostname = 'localhost', serving }: NamingOptions, isShared: boolean): string {
  if (nodeName !== undefined) return nodeName;
  if (!isShared) return 'keelson';
  const host = hostname.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  const port = serving?.listen?.port ?? 0;
  return ['keelson', host, ...(port === 0 ? [] : [port])].join('-');
}

export function namesOfNodes(options: NamingOptions, isShared: boolean): string[] {
  return nodeNames(options.nodes ?? 1, nodesName(options, isShared));
}

/** What runs nodes: the cluster that owns the store, one of several processes on a store, or `keelson node`. */
export type NodeRunner = { readonly type: 'cluster' } | { readonly type: 'process' | 'node'; readonly name: string };

/** What runs the nodes of a cluster: where no other process works on the store, all that the cluster ever ran are its own. */
export function runnerOf(options: NamingOptions, isShared: boolean): NodeRunner {
  return isShared ? { type: 'process', name: nodesName(options, isShared) } : { type: 'cluster' };
}
