import type { Client } from '../../../client/index.ts';
import type { Part } from '../../../kit/index.ts';
import { nodeAgent, nodeAgents, type NodeAgent, type NodeAgentsOptions, type NodeServer } from '../../../node/index.ts';
import type { NodeEndpoints } from './node-endpoints.ts';

export interface ComposedNodes extends Pick<NodeAgentsOptions, 'backend' | 'drivers' | 'labels' | 'firstIndex'> {
  readonly names: readonly string[];
  /** One node alone watches nothing but itself and its pods; several share watches of all nodes and pods. */
  readonly isSingle: boolean;
  /** The ports of the nodes; undefined where they have none. */
  readonly endpoints: NodeEndpoints | undefined;
  /** Makes the server of a node, which `endpoints` put on the network. */
  readonly serve: (agent: NodeAgent) => NodeServer;
  /** Asks the API server about callers on behalf of a node. */
  readonly clientOf: (name: string) => Client;
}

/** The nodes of a process as a part: the only place where they are put together, in a cluster and alone. */
export function composeNodes({ names, isSingle, endpoints, serve, clientOf, ...options }: ComposedNodes): Part {
  const onAgent = (agent: NodeAgent): void => {
    const server = serve(agent);
    endpoints?.serve(agent, server, clientOf(agent.name));
  };
  const [first = ''] = names;
  if (isSingle) {
    const place = endpoints === undefined ? {} : { addresses: [endpoints.host], port: endpoints.portOf(first) };
    return nodeAgent({ ...options, ...place, onAgent, name: first });
  }
  const places =
    endpoints === undefined
      ? {}
      : { addresses: () => [endpoints.host], port: (name: string) => endpoints.portOf(name) };
  return nodeAgents({ ...options, ...places, onAgent, names });
}
