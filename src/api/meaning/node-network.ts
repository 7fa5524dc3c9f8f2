import type { DeepReadonly } from '../../base/index.ts';
import type { Node } from '../types/core/v1.d.ts';

/** The annotation of a node whose pods have addresses that are on no network. */
const POD_NETWORK = 'keelson.dev/pod-network';
/** The annotation of a node whose own addresses are on no network: the `host:port` at which its server listens. */
const NODE_SERVER = 'keelson.dev/node-server';

/** How a node and its pods are reached, where their addresses do not say it. */
export interface NodeNetwork {
  /** Whether the addresses of pods can be dialled. */
  readonly hasPodNetwork: boolean;
  /** The `host:port` of the node's server; undefined when it listens at the addresses of the node. */
  readonly server: string | undefined;
}

/** What the annotations of a node say; nodes without them are reached at their addresses. */
export function nodeNetwork(node: DeepReadonly<Node>): NodeNetwork {
  const { [POD_NETWORK]: network, [NODE_SERVER]: server } = node.metadata?.annotations ?? {};
  return { hasPodNetwork: network !== 'none', server };
}

/** The annotations that `nodeNetwork` reads. */
export function networkAnnotations({ hasPodNetwork, server }: NodeNetwork): Record<string, string> {
  return {
    ...(hasPodNetwork ? {} : { [POD_NETWORK]: 'none' }),
    ...(server === undefined ? {} : { [NODE_SERVER]: server }),
  };
}
