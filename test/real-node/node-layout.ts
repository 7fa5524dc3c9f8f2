import { join } from 'node:path';

/** Places and addresses of a node's parts inside its namespaces. */
export interface NodeLayout {
  readonly name: string;
  /** Files of the rig: configurations, credentials, logs, containers. */
  readonly folder: string;
  readonly runtimeSocket: string;
  /** Folder of programs that the parts find by name. */
  readonly programs: string;
}

export const NODE_NAME = 'node-1';
export const POD_RANGE = '10.244.0.0/24';
export const DNS_ADDRESS = '10.96.0.10';
export const DNS_DOMAIN = 'cluster.local';

export function nodeLayout(folder: string): NodeLayout {
  return {
    name: NODE_NAME,
    folder,
    runtimeSocket: '/run/containerd/containerd.sock',
    programs: join(folder, 'programs'),
  };
}

/** A program of a node with its arguments. */
export interface PartCommand {
  readonly program: string;
  readonly args: readonly string[];
}
