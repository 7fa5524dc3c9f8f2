import { builtInTypes } from '../api/index.ts';
import { aborted, type Clock, type Runnable, runTogether } from '../base/index.ts';
import { Client, ClientMetrics, type Transport } from '../client/index.ts';
import { SIMULATED_DRIVER } from '../controllers/index.ts';
import { type App, app } from '../kit/index.ts';
import { clusterApps, hasSimulatedStorage, PROVISIONER_ACCOUNT, type WorkloadOptions } from './cluster-apps.ts';
import type { ControlPlane, ForkOptions } from './control-plane.ts';
import type { Identity } from './in-process-client.ts';
import { startControlPlane } from './start-control-plane.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { nodeNames } from '../node/index.ts';
import { metricsResources } from './simulated-metrics/metrics-resources.ts';
import { InProcessTransport } from './in-process-transport.ts';
import { nodeHost, NodeEndpoints } from './node-endpoints.ts';

export interface ClusterOptions extends ControlPlaneOptions, WorkloadOptions {
  /** Puts something between the cluster's own programs and the server: for tests of what goes wrong there. */
  readonly wrapTransport?: (
    transport: Transport,
    context: { readonly program: string; readonly clock: Clock },
  ) => Transport;
}

/** New nodes have this taint until a controller has seen that they are ready. */
const NOT_READY = 'node.kubernetes.io/not-ready';

/** Starts a whole cluster: the control plane, then controllers, scheduler and nodes as its clients. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const plane = await startControlPlane({
    ...options,
    enableAdmission: enabledAdmission(options),
    ...(hasSimulatedStorage(options)
      ? { standardStorage: { provisioner: SIMULATED_DRIVER, account: PROVISIONER_ACCOUNT } }
      : {}),
  });
  try {
    return new Cluster(plane, options, await openEndpoints(plane, options));
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
}

async function openEndpoints(plane: ControlPlane, options: ClusterOptions): Promise<NodeEndpoints | undefined> {
  const { nodes = 1, nodeEndpoints = false, listen, log } = options;
  if (!nodeEndpoints) return undefined;
  return NodeEndpoints.open(plane, nodeNames(nodes), { host: nodeHost(listen?.host ?? ''), log });
}

/** A cluster keeps its nodes from each other, as those of kubeadm do; an API server alone does so when it is told. */
function enabledAdmission({ enableAdmission = [], disableAdmission = [] }: ClusterOptions): readonly string[] {
  const isLeftOff = disableAdmission.includes(NODE_RESTRICTION);
  return isLeftOff ? enableAdmission : [...new Set([...enableAdmission, NODE_RESTRICTION])];
}

const NODE_RESTRICTION = 'NodeRestriction';

/** A running cluster. Disposing of it stops its programs, then the control plane. */
export class Cluster implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly apps: readonly App[];
  readonly #options: ClusterOptions;
  readonly #endpoints: NodeEndpoints | undefined;
  /** By program and writer. */
  readonly #clients = new Map<string, Client>();
  readonly #clientMetrics = new ClientMetrics();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  /** Use `startCluster`. */
  constructor(plane: ControlPlane, options: ClusterOptions, endpoints?: NodeEndpoints) {
    this.plane = plane;
    this.#endpoints = endpoints;
    this.#options = options;
    const { nodes = 1, runtime, simulatedMetrics = true, clock } = options;
    if (simulatedMetrics && nodes > 0 && runtime === undefined) {
      const { objects, registry } = plane.server;
      registry.register(metricsResources({ types: builtInTypes(), objects, clock, nodes: nodeNames(nodes) }));
    }
    const hasOneServer = options.storage.type !== 'etcd';
    const programs = clusterApps(plane, { ...options, hasOneServer, endpoints });
    this.apps = programs.map(({ name, parts, isOnePerCluster }) =>
      app(name, parts, { leaderElection: isOnePerCluster && !hasOneServer && { namespace: 'kube-system' } }),
    );
    plane.addMetrics(() => [this.#clientMetrics.registry, ...this.apps.flatMap(({ registries }) => registries)]);
    const tasks = this.apps.map((each, index): Runnable => {
      const program = programs[index];
      if (program === undefined) throw new Error('Unreachable: every app is made from a program');
      const clientFor = (writer: string): Client | undefined => {
        const identity = program.identityOf?.(writer);
        return identity === undefined ? undefined : this.#clientFor(program.name, identity);
      };
      const client = this.#clientFor(program.name, program.identity);
      return { run: (signal) => each.run(client, signal, { clientFor }) };
    });
    const untilStopped: Runnable = { run: aborted }; // an API server that has nothing beside it runs on too
    this.#running = runTogether([...tasks, untilStopped], AbortSignal.any([options.signal, this.#stop.signal]));
    this.#running.catch((error: unknown) => options.log.error('a program of the cluster failed', { error }));
  }

  /** Whether all programs have seen all there is and have nothing to do but wait for time to pass. */
  get isIdle(): boolean {
    return this.apps.every((each) => each.isIdle);
  }

  /** Rejects when a program of the cluster has failed; resolves when all have been stopped. */
  get running(): Promise<void> {
    return this.#running;
  }

  /** Resolves when all nodes of this process are ready and take pods, or the signal aborts. */
  async nodesReady(signal: AbortSignal): Promise<void> {
    const { nodes = 1, controllers = true } = this.#options;
    if (nodes === 0) return;
    await using client = this.plane.client({ user: 'system:apiserver', groups: ['system:masters'] });
    const ready = new Set<string>();
    for await (const event of client.core.v1.nodes.watch({ signal })) {
      if (event.type === 'BOOKMARK') continue;
      const { metadata, spec, status } = event.object;
      const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
      const isHeldBack = controllers && spec?.taints?.some(({ key }) => key === NOT_READY) === true;
      if (isReady === true && !isHeldBack) ready.add(metadata.name);
      if (ready.size >= nodes) return;
    }
  }

  /** An independent copy as of now, with programs of its own; only of clusters whose store is in memory. */
  fork(options: ForkOptions): Cluster {
    const { listen: _, ...own } = this.#options;
    return new Cluster(this.plane.fork(options), { ...own, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => undefined); // it was logged when it happened
    this.#endpoints?.[Symbol.dispose]();
    for (const client of this.#clients.values()) await client[Symbol.asyncDispose]();
    await this.plane[Symbol.asyncDispose]();
  }

  #clientFor(name: string, identity: Identity): Client {
    const key = JSON.stringify([name, identity]);
    const known = this.#clients.get(key) ?? this.#newClient(name, identity);
    this.#clients.set(key, known);
    return known;
  }

  #newClient(name: string, identity: Identity): Client {
    const { clock, random, log, wrapTransport = (transport) => transport } = this.#options;
    const certificate = { commonName: identity.user, organizations: identity.groups };
    const direct = new InProcessTransport(this.plane.server, { clock, certificate });
    const transport = this.#clientMetrics.meter(direct, { host: 'in-process', clock });
    const own = log.with({ program: name });
    return new Client(wrapTransport(transport, { program: name, clock }), {
      clock,
      random,
      log: own,
      userAgent: name,
      onWarning: ({ text, request }) => own.debug('server warns', { text, request }), // about kinds we must serve all the same
    });
  }
}
