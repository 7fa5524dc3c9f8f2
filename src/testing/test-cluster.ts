import type { VirtualClock } from '../base/index.ts';
import type { Client, KubernetesObject, Transport } from '../client/index.ts';
import type { Cluster, SchedulingAttempt, TracedRequest } from '../cluster/index.ts';
import {
  type App,
  type ProgramRunOptions,
  conversionOf,
  type DefinedKind,
  installKinds,
  webhookServer,
} from '../kit/index.ts';
import { grant, type TestActor, type TestIdentity } from './acting-as.ts';
import { type ClusterParts, forkedParts } from './cluster-parts.ts';
import { wiringOf } from './cluster-wiring.ts';
import type { ActiveFault, Fault, PastView } from './faults/index.ts';
import { openPast } from './faults/open-past.ts';
import { takeLease } from './faults/take-lease.ts';
import { type LoadOptions, loadManifests } from './manifests/load-manifests.ts';
import { readManifests } from './manifests/read-manifests.ts';
import { type OpenPort, openPort } from './open-port.ts';
import { replayText } from './replay.ts';
import { type RunningApp, RunningApps } from './running-apps.ts';
import { settleAll, type SettleOptions } from './settle-all.ts';
import { snapshotOf } from './snapshot/snapshot-of.ts';
import { writeSnapshotFile } from './snapshot/snapshot-file.ts';
import type { CauseRecorder } from './trace/cause-recorder.ts';
import type { CauseTrace } from './trace/cause-trace.ts';

const ADMIN = { user: 'kubernetes-admin', groups: ['system:masters'] };

/** A cluster for one test. Use `startCluster`; disposing of it stops everything and leaves nothing behind. */
export class TestCluster implements AsyncDisposable {
  /** The administrator's client, straight into the server. */
  readonly client: Client;
  /** Everything in the cluster goes by this: `await cluster.clock.advance('30d')`. */
  readonly clock: VirtualClock;
  /** What was logged as a warning or worse. */
  readonly problems: readonly string[];
  readonly #cluster: Cluster;
  readonly #parts: ClusterParts;
  readonly #apps = new RunningApps();
  readonly #identities = new WeakMap<Client, TestIdentity>();
  readonly #clients: Client[] = [];
  readonly #failures: unknown[] = [];
  readonly #servers: Promise<void | number>[] = [];
  #stopping: Promise<void> | undefined;
  #port: Promise<OpenPort> | undefined;

  constructor(cluster: Cluster, parts: ClusterParts) {
    this.#cluster = cluster;
    this.#parts = parts;
    this.clock = parts.world.clock;
    this.problems = parts.problems;
    parts.world.log = parts.log;
    parts.world.revision = () => cluster.plane.revision;
    parts.world.observed.isDisturbed = () => !parts.wire.faults.isEmpty;
    parts.wire.connect({
      openPast: () => this.#openPast(),
      takeLease: (...asked) => takeLease(cluster.plane, ...asked),
    });
    this.client = this.#newClient(ADMIN, 'keelson-testing', true);
    cluster.running.catch((error: unknown) => this.#failures.push(error));
    const { signal } = parts.world;
    const end = (): void => void this.stop().catch((error: unknown) => this.#failures.push(error));
    signal?.addEventListener('abort', end, { once: true, signal: parts.stop.signal });
  }

  /**
   * A client of somebody else: `cluster.as('joe', ['developers'])`, or somebody with exactly these rules:
   * `await cluster.as({ serviceAccount: 'default/robot', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] })`.
   * The cluster closes it at its end.
   */
  as(user: string, groups?: readonly string[]): Client;
  as(actor: TestActor): Promise<Client>;
  as(who: string | TestActor, groups: readonly string[] = []): Client | Promise<Client> {
    return typeof who === 'string' ? this.#clientOf({ user: who, groups }) : this.#actor(who);
  }

  async #actor(actor: TestActor): Promise<Client> {
    const identity = await grant(this.client, actor);
    await this.settle();
    return this.#clientOf(identity);
  }

  #clientOf({ user, groups }: TestIdentity): Client {
    const client = this.#newClient({ user, groups }, user, true);
    this.#clients.push(client);
    return client;
  }

  #newClient(identity: TestIdentity, userAgent: string, isOfTest = false): Client {
    const { world, wire } = this.#parts;
    const wrapTransport = (inner: Transport): Transport => wire.wrap(world.observed.wrap(inner), identity, isOfTest);
    const client = this.#cluster.plane.client(identity, { userAgent, wrapTransport, onWarning: () => undefined });
    this.#identities.set(client, identity);
    return client;
  }

  /**
   * The last thousand requests that wrote something or were refused, oldest first: what each stage, admission plugin, webhook and
   * policy decided, and what it changed. Secrets are not told.
   */
  requests(): readonly TracedRequest[] {
    return this.#cluster.plane.server.traces.recent.list();
  }

  /** What `KEELSON_REPLAY` has to be, in the environment of the test, for the same run again: the seed and the time of the start. */
  get replay(): string {
    const { seed } = this.#parts.wire.options;
    return replayText({ seed, startMs: this.#parts.startMs });
  }

  /**
   * Makes something go wrong, until it is removed, or has struck as often as it was to:
   * `using conflicts = cluster.fault({ type: 'conflict', program: 'my-app', resource: 'deployments', times: 2 })`.
   * It concerns everybody: the cluster's programs, your apps, the clients of this process, and those that come over the network,
   * for whom delays are in real time.
   */
  fault(fault: Fault): ActiveFault {
    return this.#parts.wire.faults.add(fault);
  }

  /** The faults at work. */
  get faults(): readonly ActiveFault[] {
    return this.#parts.wire.faults.list;
  }

  /**
   * What has happened since the cluster was started, or `clearTrace` was called, and what led to what; for clusters that were started
   * with `trace`. Runs that did nothing, events and leases are left out, unless `all` is given.
   */
  trace(options: { readonly all?: boolean } = {}): CauseTrace {
    return this.#recorder.trace(options);
  }

  clearTrace(): void {
    this.#recorder.clear();
  }

  get #recorder(): CauseRecorder {
    const { recorder } = this.#parts.wire;
    if (recorder === undefined) throw new Error('Cannot trace the cluster: start it with { trace: true }');
    return recorder;
  }

  /** The programs of the cluster: controllers, scheduler, nodes. */
  get apps(): readonly App[] {
    return this.#cluster.apps;
  }

  /**
   * The last five tries to find a node for a pod, oldest first: what each plugin and each extender said about which nodes. The pod is
   * one of `default`, unless it is named `namespace/name`.
   */
  why(pod: string): readonly SchedulingAttempt[] {
    return this.#cluster.plane.attempts.of(pod.includes('/') ? pod : `default/${pod}`);
  }

  /** Serves kinds made with `resource`. Where versions are converted, this process answers the cluster's requests for it. */
  async install(...kinds: readonly DefinedKind[]): Promise<void> {
    const { signal } = this.#parts.stop;
    const converted = kinds.filter(({ isConverted }) => isConverted);
    const conversion = converted.length === 0 ? undefined : await this.#serveConversions(converted);
    await installKinds(this.client, kinds, { conversion, fieldManager: 'keelson-testing', signal });
    await this.settle();
  }

  /**
   * Applies the objects of YAML and JSON files, and of all that are in folders, as `kubectl apply -f FOLDER -R` does; definitions of
   * kinds and namespaces come first. Answers with what was applied.
   */
  async load(path: string | readonly string[], options: LoadOptions = {}): Promise<readonly KubernetesObject[]> {
    const manifests = await readManifests(typeof path === 'string' ? [path] : path);
    const loaded = await loadManifests(manifests, { ...options, client: this.client, settle: () => this.settle() });
    await this.settle();
    return loaded;
  }

  /**
   * Runs an app of yours in the cluster until the cluster ends, with its `resources`; resolves when it has nothing left to do.
   * It may do everything, unless it is run with the client of somebody else: `cluster.run(app, { as: await cluster.as(…) })`.
   * No port is opened: webhooks and APIs are answered in this process, probes are not.
   */
  async run(app: App, options: { readonly as?: Client } = {}): Promise<void> {
    if (options.as !== undefined && app.resources.length > 0) await this.install(...app.resources);
    const client = options.as ?? this.#newClient(ADMIN, app.name);
    await app.load(); // from files, which settling does not wait for
    this.#start({ given: app, app, client }, { install: options.as === undefined });
    await this.settle();
  }

  #start(started: RunningApp, options: ProgramRunOptions): void {
    const { stop, webhooks: localWebhooks, apis: localApis, world } = this.#parts;
    const onFailure = (error: unknown): void => void this.#failures.push(error);
    const inProcess = { localWebhooks, localApis, opensPorts: false, tracker: world.tracker, onFailure };
    this.#apps.start(started, stop.signal, { ...options, ...inProcess });
  }

  /** An app that was run here, or in the cluster that this is a fork of, as it runs here: to ask for its trace. */
  appOf(given: App): App {
    return this.#apps.find(given);
  }

  /**
   * Resolves when everything that can happen without time passing has happened: queues are empty, watchers have caught up.
   * Work that waits for a retry is let go on, which takes up to a few seconds of virtual time.
   *
   * Rejects when an app or a program of the cluster has failed, and when apps go round in circles.
   */
  async settle(options: SettleOptions = {}): Promise<void> {
    const { world } = this.#parts;
    const { clock, tracker } = world;
    const apps = [...this.#cluster.apps, ...this.#apps.list.map(({ app }) => app)];
    await settleAll(apps, { ...options, clock, tracker, settle: () => world.settle() });
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Opens a port if there is none, and tells where a kubeconfig for it is: for kubectl and all other clients. */
  async kubeconfig(): Promise<string> {
    this.#parts.world.observed.isOpen = true;
    this.#port ??= openPort(this.#cluster.plane);
    return (await this.#port).kubeconfig;
  }

  /**
   * An independent copy as of now, with a clock and copies of your apps of its own. What a seed decides, it decides alike in both.
   * `signal` ends the copy when it aborts; default: the signal that this cluster was started with.
   */
  async fork(options: { readonly signal?: AbortSignal } = {}): Promise<TestCluster> {
    await this.settle();
    const parts = forkedParts(this.#parts, options.signal);
    const { nextDueMs = Infinity } = this.clock;
    const copy = this.#cluster.fork({
      quietMs: nextDueMs - this.clock.now(),
      clock: parts.world.clock,
      random: parts.random,
      signal: parts.stop.signal,
      ...wiringOf(parts),
    });
    const fork = new TestCluster(copy, parts);
    this.#parts.wire.faults.copyTo(parts.wire.faults);
    for (const { given, app, client } of this.#apps.list) {
      const identity = this.#identities.get(client) ?? ADMIN;
      fork.#start({ given, app: app.copy(), client: fork.#newClient(identity, app.name) }, { install: false });
    }
    await fork.settle();
    return fork;
  }

  /**
   * Writes the whole cluster to a file, as it is when it has nothing left to do, for `openCluster` in this or another process: objects
   * with their revisions, time, chance and keys. Apps of yours, faults and traces are not in it.
   */
  async save(path: string): Promise<void> {
    await this.settle();
    await writeSnapshotFile(path, snapshotOf(this.#cluster.plane, this.#parts));
  }

  /** Ends the cluster, as `await using` does; once is enough. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #end(): Promise<void> {
    for (const fault of this.faults) fault.remove();
    this.#parts.stop.abort();
    await this.#apps[Symbol.asyncDispose]();
    for (const client of [...this.#clients, this.client]) await client[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
    await Promise.all(this.#servers);
    await this.#parts.keys?.[Symbol.asyncDispose]();
    await (await this.#port)?.[Symbol.asyncDispose]();
  }

  #openPast(): PastView {
    const onEnd = (ended: Promise<void>): void => void this.#servers.push(ended);
    return openPast(this.#cluster.plane, { nowMs: this.clock.now(), random: this.#parts.random, onEnd });
  }

  async #serveConversions(kinds: readonly DefinedKind[]): Promise<{ readonly url: string; readonly caBundle: string }> {
    const server = webhookServer({ handlers: { '/convert': conversionOf(...kinds) } });
    const serving = server.runLocally(this.#parts.webhooks, this.#parts.stop.signal);
    this.#servers.push(serving.catch((error: unknown) => void this.#failures.push(error)));
    return server.clientConfig('/convert');
  }
}
