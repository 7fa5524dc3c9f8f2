import type { Client } from '../../../client/index.ts';
import type { Part } from '../../../kit/index.ts';
import {
  defaultAddress,
  defaultPodCidr,
  nodeAgent,
  nodeAgents,
  type NodeAgent,
  type NodeAgentsOptions,
  type NodeServer,
} from '../../../node/index.ts';
import type { NodeEndpoints } from './node-endpoints.ts';

export interface ComposedNodes extends Pick<NodeAgentsOptions, 'backend' | 'drivers' | 'labels' | 'annotations'> {
  readonly names: readonly string[];
  /** The place of each node among the nodes of all processes, from which addresses and pod ranges follow. */
  readonly places: readonly number[];
  /** One node alone watches nothing but itself and its pods; several share watches of all nodes and pods. */
  readonly isSingle: boolean;
  /** The ports of the nodes; undefined where they have none. */
  readonly endpoints: NodeEndpoints | undefined;
  /** The address that all nodes have, at which their ports are; default one for each node, which is on no network. */
  readonly nodeIp?: string;
  /** Makes the server of a node, which `endpoints` put on the network. */
  readonly serve: (agent: NodeAgent) => NodeServer;
  /** Asks the API server about callers on behalf of a node. */
  readonly clientOf: (name: string) => Client;
}

/** The nodes of a process as a part: the only place where they are put together, in a cluster and alone. */
export function composeNodes(composed: ComposedNodes): Part {
  const { names, places, nodeIp, isSingle, endpoints, serve, clientOf, ...options } = composed;
  const onAgent = (agent: NodeAgent): void => {
    const server = serve(agent);
    endpoints?.serve(agent, server, clientOf(agent.name));
  };
  const placeOf = (index: number): number => places[index] ?? index;
  const podCidrs = (index: number): readonly string[] => [defaultPodCidr(placeOf(index))];
  const addresses = (index: number): readonly string[] =>
    nodeIp === undefined ? [defaultAddress(placeOf(index))] : [nodeIp];
  const port = (name: string): number => endpoints?.portOf(name) ?? 0;
  const server = (name: string): string | undefined => (nodeIp === undefined ? endpoints?.placeOf(name) : undefined);
  if (!isSingle) return nodeAgents({ ...options, podCidrs, addresses, port, server, onAgent, names });
  const [name = ''] = names;
  return nodeAgent({
    ...options,
    podCidrs: podCidrs(0),
    addresses: addresses(0),
    port: port(name),
    server: server(name),
    onAgent,
    name,
  });
}
