import { join, resolve } from 'node:path';
import type { Clock, Logger } from '../../../base/index.ts';
import {
  type BackendContext,
  type NodeAgent,
  type NodeBackend,
  type NodeSettings,
  type OpenNodeBackend,
  PodResourcesSocket,
} from '../../../node/index.ts';
import { simulatedBackend, type SimulatedMachine } from '../../../simulated/index.ts';
import type { DevicePlugins } from '../../../devices/index.ts';

export interface MachinesOfNodesOptions {
  /** See `NodesOptions`. */
  readonly pluginDir: string | undefined;
  /** See `NodesOptions`. */
  readonly simulatedMachine: SimulatedMachine | undefined;
  /** Whether there is one node, whose sockets are in `pluginDir` itself. */
  readonly isSingle: boolean;
  /** DRA drivers whose devices are simulated; default none. */
  readonly simulatedDrivers?: readonly string[];
}

/** Simulated nodes with the sockets of plugins below a folder, and on made-up machines. What a node does not have is not loaded. */
export class MachinesOfNodes {
  readonly #options: MachinesOfNodesOptions;
  /** By node. */
  readonly #podResources = new Map<string, PodResourcesSocket>();

  constructor(options: MachinesOfNodesOptions) {
    this.#options = options;
  }

  /** What the nodes run on. `others` is given for nodes that are not simulated, or not all of whose containers are. */
  backend(others?: OpenNodeBackend): OpenNodeBackend {
    const { pluginDir, simulatedMachine } = this.#options;
    if (others !== undefined && simulatedMachine !== undefined)
      throw new TypeError('Cannot run these nodes on a simulated machine: not all of their containers are simulated');
    const open = others ?? simulatedBackend();
    if (pluginDir === undefined && simulatedMachine === undefined) return open;
    const openMachine = async (
      node: NodeSettings,
      context: BackendContext,
      plugins?: DevicePlugins,
    ): Promise<NodeBackend> => {
      if (simulatedMachine === undefined) return await open(node, context);
      const { assignedBackend, shapeMachine } = await import('../../../simulated/assigned.ts');
      const machine = shapeMachine(simulatedMachine);
      const providers = plugins === undefined ? [] : [plugins];
      const backend = await simulatedBackend(machine.resources)(node, context);
      return await assignedBackend(backend, machine, { ...context, providers });
    };
    return pluginDir === undefined ? openMachine : this.#withSockets(openMachine, resolve(pluginDir));
  }

  /** Answers at the socket of the node's pod resources from now on. */
  serve({ name, served }: NodeAgent): void {
    const { resources, devices } = served.backend;
    this.#podResources.get(name)?.serve({ pod: served.pod, pods: served.pods, resources, devices });
  }

  /** Opens the sockets of device plugins, of DRA drivers and of pod resources beside a backend. */
  #withSockets(
    openMachine: (node: NodeSettings, context: BackendContext, plugins: DevicePlugins) => Promise<NodeBackend>,
    pluginDir: string,
  ): OpenNodeBackend {
    const { simulatedMachine, simulatedDrivers = [], isSingle } = this.#options;
    const rootOf = (node: string): string => (isSingle ? pluginDir : join(pluginDir, node));
    return async (node, context) => {
      const { openWithDevicePlugins, withDraDrivers } = await import('../../../devices/index.ts');
      const { shapeMachine } = await import('../../../simulated/assigned.ts');
      const nodes = simulatedMachine === undefined ? [] : shapeMachine(simulatedMachine).topology.numaNodes;
      const root = rootOf(node.name);
      const withPlugins: OpenNodeBackend = (_, inner) =>
        openWithDevicePlugins((plugins) => openMachine(node, inner, plugins), {
          ...{ context: inner, root, numaNodes: nodes.map(({ id }) => id) },
          isAdmitting: simulatedMachine === undefined,
        });
      const backend = await withDraDrivers(withPlugins, { rootOf, builtIn: new Set(simulatedDrivers) })(node, context);
      const tasks = [...backend.tasks, this.#socketOf(node.name, root, context)];
      return { ...backend, podUpdated: (pod) => backend.podUpdated(pod), tasks };
    };
  }

  #socketOf(
    node: string,
    root: string,
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
  ): PodResourcesSocket {
    const socket = new PodResourcesSocket({ root, clock, log });
    this.#podResources.set(node, socket);
    return socket;
  }
}
