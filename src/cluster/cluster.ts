import { aborted, type Clock, RandomUidSource, type Runnable, runTogether } from '../base/index.ts';
import { Client, ClientMetrics, type Transport } from '../client/index.ts';
import { SIMULATED_DRIVER } from '../controllers/index.ts';
import { type App, app, type LeaderElectionOptions, type RunTracker } from '../kit/index.ts';
import { clusterApps, hasSimulatedStorage, PROVISIONER_ACCOUNT, type WorkloadOptions } from './cluster-apps.ts';
import type { ControlPlane, ForkOptions } from './control-plane.ts';
import type { Identity } from './in-process-client.ts';
import { startControlPlane } from './start-control-plane.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { nodeNames } from '../node/index.ts';
import { metricsResources } from './simulated-metrics/metrics-resources.ts';
import { InProcessTransport } from './in-process-transport.ts';
import { nodeHost, NodeEndpoints } from './node-endpoints.ts';
import { ClusterTemplate } from './template/cluster-template.ts';
import { holdNodes } from './nodes/hold-nodes.ts';
import { takePlaces } from './nodes/node-places.ts';
import { runWorker } from './workers/run-worker.ts';
import { settledName, type SettledParts, SleepingParts } from './sleeping-parts.ts';

export interface ClusterOptions extends ControlPlaneOptions, WorkloadOptions {
  /** How fast one of several processes on one store takes over from another; upstream's times unless given. */
  readonly election?: Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;
  /** Puts something between the cluster's own programs and the server: for tests of what goes wrong there. */
  readonly wrapTransport?: (
    transport: Transport,
    context: { readonly program: string; readonly identity: Identity; readonly clock: Clock },
  ) => Transport;
  /** Begins with all parts of its programs, also those that have nothing to do yet, so that they see everything; not unless given. */
  readonly isAlwaysAwake?: boolean;
  /** Knows which runs of the cluster's own programs are under way; not followed unless given. */
  readonly tracker?: RunTracker;
}

/** New nodes have this taint until a controller has seen that they are ready. */
const NOT_READY = 'node.kubernetes.io/not-ready';

/** Starts a whole cluster: the control plane, then controllers, scheduler and nodes as its clients. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const plane = await startControlPlane({ ...planeOptions(options), signal: options.signal });
  try {
    return new Cluster(plane, options, await partsOf(plane, options));
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
}

/** Serves requests for a cluster that another process has started with `workers`; see `runWorker`. */
export function runClusterWorker(options: Unstoppable<ClusterOptions>): Promise<void> {
  return runWorker(planeOptions(options), (plane) => serveSimulatedMetrics(plane, options));
}

type Unstoppable<Options> = Omit<Options, 'signal'>;

/** How the API server of a cluster differs from one alone. */
function planeOptions(options: Unstoppable<ClusterOptions>): Unstoppable<ControlPlaneOptions> {
  return {
    ...options,
    enableAdmission: enabledAdmission(options),
    ...(hasSimulatedStorage(options)
      ? { standardStorage: { provisioner: SIMULATED_DRIVER, account: PROVISIONER_ACCOUNT } }
      : {}),
  };
}

function serveSimulatedMetrics(plane: ControlPlane, options: Unstoppable<ClusterOptions>): void {
  const { nodes = 1, nodeBackend, simulatedMetrics = true, clock } = options;
  if (!simulatedMetrics || nodes === 0 || nodeBackend !== undefined) return;
  const { objects, registry } = plane.server;
  registry.register(metricsResources({ types: plane.types, objects, clock, nodes: namesOf(options) }));
}

async function partsOf(plane: ControlPlane, options: ClusterOptions): Promise<ClusterParts> {
  const { nodes = 1, nodeEndpoints = false, listen, log } = options;
  if (nodes === 0) return {};
  const firstIndex = isShared(options) ? await takePlaces(plane.client(ITSELF), nodesName(options), nodes) : 0;
  if (!nodeEndpoints) return { firstIndex };
  const names = namesOf(options);
  return { firstIndex, endpoints: await NodeEndpoints.open(plane, names, { host: nodeHost(listen?.host ?? ''), log }) };
}

/** Who the process is to its own server. */
const ITSELF: Identity = { user: 'system:apiserver', groups: ['system:masters'] };

/** Whether other processes may work on the same store. */
function isShared({ storage }: Pick<ClusterOptions, 'storage'>): boolean {
  return storage.type === 'etcd';
}

/** What the nodes of this process are called together. */
function nodesName(options: Unstoppable<ClusterOptions>): string {
  const { nodeName, hostname = 'localhost', listen } = options;
  if (nodeName !== undefined) return nodeName;
  if (!isShared(options)) return 'keelson';
  const host = hostname.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  return ['keelson', host, ...(listen === undefined || listen.port === 0 ? [] : [listen.port])].join('-');
}

function namesOf(options: Unstoppable<ClusterOptions>): string[] {
  return nodeNames(options.nodes ?? 1, nodesName(options));
}

/** A cluster keeps its nodes from each other, as those of kubeadm do; an API server alone does so when it is told. */
function enabledAdmission({
  enableAdmission = [],
  disableAdmission = [],
}: Unstoppable<ClusterOptions>): readonly string[] {
  const isLeftOff = disableAdmission.includes(NODE_RESTRICTION);
  return isLeftOff ? enableAdmission : [...new Set([...enableAdmission, NODE_RESTRICTION])];
}

const NODE_RESTRICTION = 'NodeRestriction';

/** What a copy of a cluster has of its own. */
export interface ClusterForkOptions extends ForkOptions {
  /** Nobody in the cluster has anything to do for so long, unless something changes; not known unless given. */
  readonly quietMs?: number;
}

interface ClusterParts {
  readonly firstIndex?: number;
  readonly endpoints?: NodeEndpoints | undefined;
  readonly settled?: SettledParts | undefined;
}

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
  readonly #settled: SettledParts | undefined;
  readonly #sleeping: SleepingParts | undefined;
  readonly #running: Promise<void>;

  /** Use `startCluster`. */
  constructor(plane: ControlPlane, options: ClusterOptions, { endpoints, settled, firstIndex = 0 }: ClusterParts = {}) {
    this.plane = plane;
    this.#settled = settled;
    this.#endpoints = endpoints;
    this.#options = options;
    const { clock, tracker } = options;
    serveSimulatedMetrics(plane, options);
    const hasOneServer = !isShared(options);
    const { server } = plane;
    if (hasOneServer && options.isAlwaysAwake !== true)
      this.#sleeping = SleepingParts.of({ server, clock, log: options.log, settled });
    const programs = clusterApps(plane, {
      ...options,
      hasOneServer,
      endpoints,
      firstIndex,
      nodeNames: namesOf(options),
    });
    const uids = new RandomUidSource(options.random);
    const candidate = () => ({
      namespace: 'kube-system',
      identity: `${options.hostname ?? 'localhost'}_${uids.next()}`,
      ...options.election,
    });
    this.apps = programs.map(({ name, parts, isOnePerCluster }) =>
      app(name, parts, { leaderElection: isOnePerCluster && !hasOneServer && candidate() }),
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
      const dormancy = this.#sleeping?.dormancyOf(program.name);
      const own = { ...(dormancy === undefined ? {} : { dormancy }), ...(tracker === undefined ? {} : { tracker }) };
      const work = (signal: AbortSignal): Promise<void> => each.run(client, signal, { clientFor, ...own });
      if (hasOneServer || program.hasNodes !== true) return { run: work };
      const held = { ...candidate(), name: nodesName(options) };
      return { run: (signal) => holdNodes(this.#clientFor(program.name, ITSELF), held, { work, signal }) };
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
    await using client = this.plane.client(ITSELF);
    const names = new Set(namesOf(this.#options));
    const ready = new Set<string>();
    for await (const event of client.core.v1.nodes.watch({ signal })) {
      if (event.type === 'BOOKMARK') continue;
      const { metadata, spec, status } = event.object;
      const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
      const isHeldBack = controllers && spec?.taints?.some(({ key }) => key === NOT_READY) === true;
      if (isReady === true && !isHeldBack && names.has(metadata.name)) ready.add(metadata.name);
      if (ready.size >= nodes) return;
    }
  }

  /** An independent copy as of now, with programs of its own; only of clusters whose store is in memory. */
  fork({ quietMs, ...options }: ClusterForkOptions): Cluster {
    return this.#copy(options, quietMs === undefined ? undefined : { quietMs, reads: this.#reads() });
  }

  /** The cluster as it is now, for others to begin with; `quietMs` is as for `fork`. It may be disposed of afterwards. */
  template(quietMs: number): ClusterTemplate<Cluster> {
    const { clock } = this.#options;
    const parts = { contents: this.plane.contents(), takenAtMs: clock.now() };
    const settled = { quietMs, reads: this.#reads() };
    return new ClusterTemplate(parts, (options) => this.#copy(options, settled));
  }

  #copy(options: ForkOptions, settled: SettledParts | undefined): Cluster {
    const { listen: _, ...own } = this.#options;
    const { contents: __, ...given } = options;
    return new Cluster(this.plane.fork(options), { ...own, ...given }, { settled });
  }

  /** What parts read: as they say, or as they said in the cluster that this is a copy of. */
  #reads(): SettledParts['reads'] {
    const reads = new Map(this.#settled?.reads);
    for (const each of this.apps)
      for (const [part, kinds] of each.reads()) reads.set(settledName(each.name, part), kinds);
    return reads;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => undefined); // it was logged when it happened
    this.#sleeping?.[Symbol.dispose]();
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
    return new Client(wrapTransport(transport, { program: name, identity, clock }), {
      clock,
      random,
      log: own,
      userAgent: name,
      onWarning: ({ text, request }) => own.debug('server warns', { text, request }), // about kinds we must serve all the same
    });
  }
}
