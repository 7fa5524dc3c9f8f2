import type { Node } from '../../../api/types/core/v1.d.ts';
import { SIMULATED_DRIVER } from '../../../controllers/index.ts';
import type { Resource } from '../../../apiserver/index.ts';
import { processBackend, type ProcessHost } from '../../../processes/index.ts';
import type { ControlPlane } from '../../control-plane.ts';
import type { Identity } from '../../in-process-client.ts';
import { renewedCredential } from '../../pki/issue-credential.ts';
import { SCHEDULER } from '../identities.ts';
import type { ComposedProgram, Holding, ProgramContext } from '../program.ts';
import type { SimulatedDevicesOptions } from '../simulated-devices/options.ts';
import { hasSimulatedStorage, type SimulatedStorageOptions } from '../simulated-storage.ts';
import { composeNodes } from './compose-nodes.ts';
import { groupAnnotations, removeFormerNodes } from './former-nodes.ts';
import { holdNodes } from './hold-nodes.ts';
import { nodeHost, NodeEndpoints, nodeSubject } from './node-endpoints.ts';
import { namesOfNodes, type NodesOptions, nodesName, runnerOf } from './node-options.ts';
import { placesOf, takePlaces } from './node-places.ts';
import { openProcesses, withProcesses } from './node-processes.ts';
import { MachinesOfNodes } from './machines-of-nodes.ts';
import { metricsResources } from './simulated-metrics/metrics-resources.ts';

type Context = ProgramContext<
  NodesOptions & SimulatedStorageOptions & SimulatedDevicesOptions & { readonly controllers?: unknown }
>;

/** What the nodes of a cluster have before they run. */
export class OpenNodes implements Disposable {
  /** See `placesOf`. */
  readonly places: readonly number[];
  readonly endpoints: NodeEndpoints | undefined;
  /** Runs containers as processes; undefined where all are simulated. */
  readonly processes: ProcessHost | undefined;

  constructor(
    places: readonly number[],
    { endpoints, processes }: { readonly endpoints?: NodeEndpoints; readonly processes?: ProcessHost | undefined },
  ) {
    this.places = places;
    this.endpoints = endpoints;
    this.processes = processes;
  }

  static async open({ plane, options, isShared }: Context): Promise<OpenNodes> {
    const { nodes = 1, nodeEndpoints = false, serving } = options;
    const first = isShared ? await takePlaces(plane.client(ITSELF), nodesName(options, isShared), nodes) : 0;
    const names = namesOfNodes(options, isShared);
    const places = placesOf(names, first, await plane.server.objects.of<Node>('', 'nodes').newestList());
    const processes = await openProcesses(plane, options);
    if (!nodeEndpoints) return new OpenNodes(places, { processes });
    const host = nodeHost(serving?.listen?.host ?? '');
    return new OpenNodes(places, {
      processes,
      endpoints: await openEndpoints(plane, { names, host, log: options.log }),
    });
  }

  [Symbol.dispose](): void {
    this.endpoints?.[Symbol.dispose]();
    this.processes?.[Symbol.dispose]();
  }
}

/** Who the process is to its own API server. */
const ITSELF: Identity = { user: 'system:apiserver', groups: ['system:masters'] };

/** Ports with certificates of the cluster's authority. */
export function openEndpoints(
  plane: ControlPlane,
  { names, host, log }: Pick<Parameters<typeof NodeEndpoints.open>[0], 'names' | 'host' | 'log'>,
): Promise<NodeEndpoints> {
  const { certificateClock } = plane;
  return NodeEndpoints.open({
    names,
    host,
    log,
    certificateClock,
    clientAuthorities: plane.pki.authority.certificate,
    certificateOf: (name) =>
      renewedCredential(
        () => plane.issue({ subject: nodeSubject(name), usage: 'server', names: [name, host, 'localhost'] }),
        certificateClock,
      ),
  });
}

/**
 * The nodes of a cluster. A node may watch nothing but itself and its own pods. Several nodes in one process share their watches all
 * the same, under the scheduler's identity, which may see as much; each node writes as itself.
 */
export function nodesInCluster({ plane, options, isShared }: Context, opened?: OpenNodes): ComposedProgram {
  const processes = opened?.processes;
  const names = namesOfNodes(options, isShared);
  const [first = ''] = names;
  const isSingle = names.length === 1;
  const { pluginDir, simulatedMachine } = options;
  const simulatedDrivers = Object.keys(options.simulatedDevices ?? {});
  const machines = new MachinesOfNodes({ pluginDir, simulatedMachine, isSingle, simulatedDrivers });
  const nodes = composeNodes({
    names,
    isSingle,
    places: opened?.places ?? placesOf(names, 0, plane.server.objects.of<Node>('', 'nodes').listNow()),
    annotations: groupAnnotations(runnerOf(options, isShared)),
    endpoints: opened?.endpoints,
    backend: machines.backend(processes === undefined ? options.nodeBackend : processBackend(processes)),
    ...(hasSimulatedStorage(options) ? { drivers: [SIMULATED_DRIVER] } : {}),
    serve: (agent) => {
      machines.serve(agent);
      return plane.localNodes.add(agent);
    },
    clientOf: (name) => plane.programClient(nodeIdentity(name)),
  });
  const part = processes === undefined ? nodes : withProcesses(nodes, processes);
  const name = nodesName(options, isShared);
  const whileHeld = (
    work: (signal: AbortSignal) => Promise<void>,
    { client, signal, ...candidate }: Holding,
  ): Promise<void> => {
    const workAlone = async (term: AbortSignal): Promise<void> => {
      await removeFormerNodes(client, runnerOf(options, isShared), names);
      await work(term);
    };
    return holdNodes(client, { ...candidate, name }, { work: workAlone, signal });
  };
  if (isSingle) return { identity: nodeIdentity(first), parts: [part], whileHeld };
  return { identity: SCHEDULER, identityOf: nodeIdentity, parts: [part], whileHeld };
}

function nodeIdentity(name: string): Identity {
  return { user: `system:node:${name}`, groups: ['system:nodes'] };
}

/** `metrics.k8s.io` for simulated nodes. */
export function simulatedMetrics({ plane, options, isShared }: Context): readonly Resource[] {
  const { nodes = 1, nodeBackend, simulatedMetrics: isServed = true, clock } = options;
  if (!isServed || nodes === 0 || nodeBackend !== undefined) return [];
  const { objects } = plane.server;
  return metricsResources({ types: plane.types, objects, clock, nodes: namesOfNodes(options, isShared) });
}
