import { aborted, type Duration, millisecondsOf, RandomUidSource, type Runnable, runTogether } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { type App, app, type ProgramAppOptions, type ProgramRunOptions, RunTracker } from '../kit/index.ts';
import { type ControlPlane, forkOptions, type ForkOptions } from './control-plane.ts';
import type { ClusterOptions } from './cluster-options.ts';
import type { Identity } from './in-process-client.ts';
import { InsightPaths } from './insight/insight-paths.ts';
import { RunRecords } from './insight/run-records.ts';
import {
  type LoadedProgram,
  loadPrograms,
  isShared,
  planeOptions,
  serveResources,
  type Unstoppable,
} from './loaded-programs.ts';
import { ProgramClients } from './program-clients.ts';
import { ProgramFence } from './program-fence.ts';
import { removeNodesOfCluster } from './programs/kubelet/former-nodes.ts';
import { namesOfNodes } from './programs/kubelet/node-options.ts';
import type { ComposedProgram } from './programs/program.ts';
import { ProgramsPath } from './programs-path.ts';
import { settledName, type SettledParts, SleepingParts } from './sleeping-parts.ts';
import { startControlPlane } from './start-control-plane.ts';
import { ClusterTemplate } from './template/cluster-template.ts';
import { runWorker } from './workers/run-worker.ts';

/** New nodes have this taint until a controller has seen that they are ready. */
const NOT_READY = 'node.kubernetes.io/not-ready';

/**
 * Starts a whole cluster, phase by phase: loads the programs, starts the control plane with what they need of it, opens what they
 * need, and runs them as clients of its API server.
 */
export async function launchCluster(options: ClusterOptions): Promise<Cluster> {
  const loaded = await loadPrograms(options);
  const plane = await startControlPlane({ ...planeOptions(options, loaded), signal: options.signal });
  const opened = new Map<LoadedProgram, Disposable>();
  try {
    const context = { plane, options, isShared: isShared(options) };
    for (const each of loaded) {
      const made = await each.body.open?.(context);
      if (made !== undefined) opened.set(each, made);
    }
    if (!context.isShared) await removeNodesOfCluster(plane, options);
    const heldBack = await options.beforePrograms?.();
    return new Cluster(plane, options, { loaded, opened, heldBack });
  } catch (error) {
    for (const each of opened.values()) each[Symbol.dispose]();
    await plane[Symbol.asyncDispose]();
    throw error;
  }
}

/** Serves requests for a cluster that another process has started with `workers`; see `runWorker`. */
export async function runClusterWorker(options: Unstoppable<ClusterOptions>): Promise<void> {
  const loaded = await loadPrograms(options);
  await runWorker(planeOptions(options, loaded), (plane) => serveResources(plane, options, loaded));
}

/** Who the process is to its own server. */
const ITSELF: Identity = { user: 'system:apiserver', groups: ['system:masters'] };

/** What a copy of a cluster has of its own. */
export interface ClusterForkOptions extends ForkOptions {
  /** How long no program of the cluster has anything to do unless something changes; default unknown. */
  readonly quietFor?: Duration;
}

interface ClusterParts {
  readonly loaded: readonly LoadedProgram[];
  /** What programs have opened. */
  readonly opened?: ReadonlyMap<LoadedProgram, Disposable>;
  readonly settled?: SettledParts | undefined;
  /** Why programs do not run yet. */
  readonly heldBack?: string | undefined;
}

/** A running cluster. Disposing of it stops its programs, then the control plane. */
export class Cluster implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly apps: readonly App[];
  /** Keeps failures of programs from ending the process, and can hold programs back. */
  readonly fence: ProgramFence;
  readonly #options: ClusterOptions;
  readonly #loaded: readonly LoadedProgram[];
  readonly #opened: ReadonlyMap<LoadedProgram, Disposable>;
  readonly #clients: ProgramClients;
  readonly #tracker: RunTracker;
  readonly #stop = new AbortController();
  readonly #settled: SettledParts | undefined;
  readonly #sleeping: SleepingParts | undefined;
  readonly #running: Promise<void>;

  /** Use `launchCluster`. */
  constructor(
    plane: ControlPlane,
    options: ClusterOptions,
    { loaded, opened = new Map(), settled, heldBack }: ClusterParts,
  ) {
    this.plane = plane;
    this.#settled = settled;
    this.#loaded = loaded;
    this.#opened = opened;
    this.#options = options;
    const { clock, log } = options;
    this.#clients = new ProgramClients(plane, options);
    this.fence = new ProgramFence(options);
    if (heldBack !== undefined) this.fence.hold('start', heldBack);
    const hasOneServer = !isShared(options);
    serveResources(plane, options, loaded);
    plane.server.addPaths(new ProgramsPath(this.fence));
    this.#tracker = options.tracker ?? this.#trackedLater(plane);
    if (hasOneServer && options.isAlwaysAwake !== true)
      this.#sleeping = SleepingParts.of({ server: plane.server, clock, log, settled });
    const uids = new RandomUidSource(options.random);
    const candidate = () => ({
      namespace: 'kube-system',
      identity: `${options.hostname ?? 'localhost'}_${uids.next()}`,
      ...options.election,
    });
    const context = { plane, options, isShared: !hasOneServer };
    const running = loaded.map((each) => {
      const { program, body } = each;
      const composed = body.inCluster(context, opened.get(each));
      const leaderElection = program.isOnePerCluster && !hasOneServer && candidate();
      const { parts, eventPace } = composed;
      const appOptions: ProgramAppOptions = { leaderElection, ...(eventPace === undefined ? {} : { eventPace }) };
      return { program, composed, app: app(program.name, parts, appOptions) };
    });
    this.apps = running.map((each) => each.app);
    plane.addMetrics(() => [this.#clients.metrics.registry, ...this.apps.flatMap(({ registries }) => registries)]);
    const tasks = running.map(({ program, composed, app: own }): Runnable => {
      const work = this.#workOf(program.name, composed, own);
      const { whileHeld } = composed;
      if (hasOneServer || whileHeld === undefined) return this.fence.around(program.name, { run: work });
      const held = { ...candidate(), client: this.#clients.of(program.name, ITSELF) };
      return this.fence.around(program.name, { run: (signal) => whileHeld(work, { ...held, signal }) });
    });
    const untilStopped: Runnable = { run: aborted }; // an API server with no programs beside it runs on too
    this.#running = runTogether([...tasks, untilStopped], AbortSignal.any([options.signal, this.#stop.signal]));
    this.#running.catch((error: unknown) => log.error('a program of the cluster failed', { error }));
  }

  /** Tracks runs from the first request for them on: until then it costs nothing. */
  #trackedLater({ server }: ControlPlane): RunTracker {
    const tracker = new RunTracker({ isOn: false });
    server.traces.currentRun = () => tracker.current?.id;
    const runs = new RunRecords(tracker);
    server.addPaths(new InsightPaths({ apps: () => this.apps, runs, clock: this.#options.clock }));
    return tracker;
  }

  /** Runs a program as clients with its identities. */
  #workOf(name: string, { identity, identityOf }: ComposedProgram, own: App): (signal: AbortSignal) => Promise<void> {
    const client = this.#clients.of(name, identity);
    const clientFor = (writer: string): Client | undefined => {
      const found = identityOf?.(writer);
      return found === undefined ? undefined : this.#clients.of(name, found);
    };
    const run: ProgramRunOptions = { clientFor, tracker: this.#tracker };
    let dormancy = this.#sleeping?.dormancyOf(name);
    return async (signal) => {
      const how = dormancy === undefined ? run : { ...run, dormancy };
      dormancy = undefined; // a program that starts again may have been stopped halfway, and looks at everything
      try {
        await own.run(client, signal, how);
      } finally {
        this.#sleeping?.forget(name);
      }
    };
  }

  /** Whether all programs have seen all there is and have nothing to do but wait for time to pass. */
  get isIdle(): boolean {
    return this.apps.every((each) => each.isIdle);
  }

  /** Resolves when all programs of the cluster have been stopped; those that fail are started again. */
  get running(): Promise<void> {
    return this.#running;
  }

  /** Resolves when all nodes of this process are ready and take pods, or the signal aborts. */
  async nodesReady(signal: AbortSignal): Promise<void> {
    const { nodes = 1 } = this.#options;
    if (nodes === 0 || this.fence.heldBack !== undefined) return;
    await this.areReady(namesOfNodes(this.#options, isShared(this.#options)), signal);
  }

  /** Resolves when the nodes of these names are ready and take pods, or the signal aborts. */
  async areReady(nodes: readonly string[], signal: AbortSignal): Promise<void> {
    const { controllers = true } = this.#options;
    await using client = this.plane.client(ITSELF);
    const names = new Set(nodes);
    const ready = new Set<string>();
    for await (const event of client.core.v1.nodes.watch({ signal })) {
      if (event.type === 'BOOKMARK') continue;
      const { metadata, spec, status } = event.object;
      const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
      const isHeldBack = controllers && spec?.taints?.some(({ key }) => key === NOT_READY) === true;
      if (isReady === true && !isHeldBack && names.has(metadata.name)) ready.add(metadata.name);
      if (ready.size >= names.size) return;
    }
  }

  /** An independent copy as of now, with programs of its own; only of clusters whose store is in memory. */
  fork({ quietFor, ...options }: ClusterForkOptions): Cluster {
    const quiet = quietFor === undefined ? undefined : { quietMs: millisecondsOf(quietFor), reads: this.#reads() };
    return this.#copy(options, quiet);
  }

  /** The cluster as it is now, for others to begin with; `quietFor` is as for `fork`. It may be disposed of afterwards. */
  template(quietFor: Duration): ClusterTemplate<Cluster> {
    const { clock } = this.#options;
    const parts = { contents: this.plane.contents(), takenAtMs: clock.now() };
    const settled = { quietMs: millisecondsOf(quietFor), reads: this.#reads() };
    return new ClusterTemplate(parts, (options) => this.#copy(options, settled));
  }

  #copy(options: ForkOptions, settled: SettledParts | undefined): Cluster {
    const own = { ...this.#options, ...forkOptions(this.#options, options) };
    return new Cluster(this.plane.fork(options), own, { loaded: this.#loaded, settled });
  }

  /** What parts read: as they say, or as they said in the cluster that this is a copy of. */
  #reads(): SettledParts['reads'] {
    const reads = new Map(this.#settled?.reads);
    for (const each of this.apps)
      for (const part of each.parts())
        if (part.isAsleep !== true) reads.set(settledName(each.name, part.name), part.reads);
    return reads;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => undefined); // it was logged when it happened
    this.#sleeping?.[Symbol.dispose]();
    for (const each of this.#opened.values()) each[Symbol.dispose]();
    await this.#clients[Symbol.asyncDispose]();
    await this.plane[Symbol.asyncDispose]();
  }
}
