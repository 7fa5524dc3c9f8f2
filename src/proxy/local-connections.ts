import type { Duplex } from 'node:stream';

/** Nodes of this process, which are reached without a network. */
export interface LocalConnections {
  /** Opens a connection to a node; undefined for nodes of other processes. */
  connectionTo(node: string): (() => Duplex) | undefined;
  /** Whether the node runs in this process, has given this address to the pod, and says that the addresses of its pods can be dialled. */
  isPodAddress(node: string, podUid: string, address: string): Promise<boolean>;
}
