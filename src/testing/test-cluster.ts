import type { VirtualClock } from '../base/index.ts';
import type { Client, KubernetesObject, Transport } from '../client/index.ts';
import { applyManifests, type LoadOptions, readManifests } from '../client/manifests/index.ts';
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
import { describeInsides, type LaunchedApp, type LaunchOptions } from './cluster-insides.ts';
import { type ClusterParts, forkedParts } from './cluster-parts.ts';
import { wiringOf } from './cluster-wiring.ts';
import type { ActiveFault, Fault, PastView } from './faults/index.ts';
import { openPast } from './faults/open-past.ts';
import { takeLease } from './faults/take-lease.ts';
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
  /** The administrator's client, in process. */
  readonly client: Client;
  /** The clock of everything in the cluster: `await cluster.clock.advance('30d')`. */
  readonly clock: VirtualClock;
  /** The logged warnings and errors. */
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
    describeInsides(this, {
      plane: cluster.plane,
      tracker: parts.world.tracker,
      openPast: () => this.#openPast(),
      interfere: (interference) => void (parts.wire.interference = interference),
      launch: (app, options) => this.#launch(app, options),
    });
    cluster.fence.onFailure((error) => void this.#failures.push(error));
    cluster.running.catch((error: unknown) => this.#failures.push(error));
    const { signal } = parts.world;
    const end = (): void => void this.stop().catch((error: unknown) => this.#failures.push(error));
    signal?.addEventListener('abort', end, { once: true, signal: parts.stop.signal });
  }

  /**
   * A client of another user: `cluster.as('joe', ['developers'])`, or of one with exactly these rules:
   * `await cluster.as({ serviceAccount: 'default/robot', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] })`.
   * The cluster closes it when it stops.
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
    return this.#clientThrough((transport) => transport, identity, { userAgent, isOfTest });
  }

  #clientThrough(
    outermost: (transport: Transport) => Transport,
    identity: TestIdentity,
    { userAgent, isOfTest }: { readonly userAgent: string; readonly isOfTest: boolean },
  ): Client {
    const { world, wire } = this.#parts;
    const wrapTransport = (inner: Transport): Transport =>
      outermost(wire.wrap(world.observed.wrap(inner), identity, isOfTest));
    const client = this.#cluster.plane.client(identity, { userAgent, wrapTransport, onWarning: () => undefined });
    this.#identities.set(client, identity);
    return client;
  }

  /**
   * The last thousand writes and rejected requests, oldest first: what each stage, admission plugin, webhook and policy
   * decided and changed. The contents of Secrets are left out.
   */
  requests(): readonly TracedRequest[] {
    return this.#cluster.plane.server.traces.recent.list();
  }

  /** The value of the environment variable `KEELSON_REPLAY` that repeats this run: the seed and the start time. */
  get replay(): string {
    const { seed } = this.#parts.wire.options;
    return replayText({ seed, startMs: this.#parts.startMs });
  }

  /**
   * Injects a fault until it is removed, or has been injected `times` times:
   * `using conflicts = cluster.fault({ type: 'conflict', program: 'my-app', resource: 'deployments', times: 2 })`.
   * It affects the cluster's programs, your apps, the clients of this process, and clients over the network, for which
   * delays are in real time.
   */
  fault(fault: Fault): ActiveFault {
    return this.#parts.wire.faults.add(
      fault,
      this.clock.catchUp(() => true),
    );
  }

  /** The active faults. */
  get faults(): readonly ActiveFault[] {
    return this.#parts.wire.faults.list;
  }

  /**
   * The writes and runs since the start or the last `clearTrace`, each below its cause; requires `startCluster({ trace:
   * true })`. By default without runs that did nothing, events and leases; `all` includes them.
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
   * The last five attempts to schedule a pod, oldest first: what each plugin and extender decided about each node.
   * `pod` is `namespace/name`, or a name in `default`.
   */
  why(pod: string): readonly SchedulingAttempt[] {
    return this.#cluster.plane.attempts.of(pod.includes('/') ? pod : `default/${pod}`);
  }

  /** Serves kinds made with `resource`. This process answers the cluster's conversion requests. */
  async install(...kinds: readonly DefinedKind[]): Promise<void> {
    const { signal } = this.#parts.stop;
    const converted = kinds.filter(({ isConverted }) => isConverted);
    const conversion = converted.length === 0 ? undefined : await this.#serveConversions(converted);
    await installKinds(this.client, kinds, { conversion, fieldManager: 'keelson-testing', signal });
    await this.settle();
  }

  /**
   * Applies the objects of YAML and JSON files, also in folders, as `kubectl apply -f FOLDER -R` does; definitions of
   * kinds and namespaces come first. Returns the applied objects.
   */
  async load(path: string | readonly string[], options: LoadOptions = {}): Promise<readonly KubernetesObject[]> {
    const manifests = await readManifests(typeof path === 'string' ? [path] : path);
    const parts = { client: this.client, fieldManager: 'keelson-testing', settle: () => this.settle() };
    const loaded = await applyManifests(manifests, { ...options, ...parts });
    await this.settle();
    return loaded;
  }

  /**
   * Runs your app in the cluster until the cluster stops, with its `resources`; resolves when it is idle. By default it
   * has all rights; to restrict it, run it as another user: `cluster.run(app, { as: await cluster.as(…) })`. No port is
   * opened: webhooks and APIs are answered in this process, probes are not.
   */
  async run(app: App, options: { readonly as?: Client } = {}): Promise<void> {
    if (options.as !== undefined && app.resources.length > 0) await this.install(...app.resources);
    const client = options.as ?? this.#newClient(ADMIN, app.name);
    await app.load(); // reads files, for which `settle` does not wait
    this.#start({ given: app, app, client }, { install: options.as === undefined });
    await this.settle();
  }

  #start(started: RunningApp, options: ProgramRunOptions): void {
    const { stop, webhooks: localWebhooks, apis: localApis, world } = this.#parts;
    const onFailure = (error: unknown): void => void this.#failures.push(error);
    const inProcess = { localWebhooks, localApis, opensPorts: false, tracker: world.tracker, onFailure };
    this.#apps.start(started, stop.signal, { ...options, ...inProcess });
  }

  #launch(app: App, { wrapTransport, tracker, signal, onFailure }: LaunchOptions): LaunchedApp {
    const { stop, webhooks: localWebhooks, apis: localApis } = this.#parts;
    const client = this.#clientThrough(wrapTransport, ADMIN, { userAgent: app.name, isOfTest: false });
    const options = { install: false, localWebhooks, localApis, opensPorts: false, tracker, onFailure };
    const scope = AbortSignal.any([stop.signal, signal]);
    return { client, ...this.#apps.start({ given: app, app, client }, scope, options) };
  }

  /** This cluster's instance of an app that was run here or in the original of this fork, for example for its trace. */
  appOf(given: App): App {
    return this.#apps.find(given);
  }

  /**
   * Resolves when nothing is left to do without advancing time: queues are empty, watchers have caught up. Retries that
   * are due soon are included, which advances virtual time by up to a few seconds.
   *
   * Rejects when an app or a program of the cluster has failed, and when apps loop.
   */
  async settle(options: SettleOptions = {}): Promise<void> {
    const { world } = this.#parts;
    const { clock, tracker } = world;
    const running = (): readonly App[] => [...this.#cluster.apps, ...this.#apps.list.map(({ app }) => app)];
    await settleAll(running, { ...options, clock, tracker, settle: () => world.settle() });
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Opens a port if none is open, and returns the path of a kubeconfig for kubectl and other clients. */
  async kubeconfig(): Promise<string> {
    this.#parts.world.observed.isOpen = true;
    this.#port ??= openPort(this.#cluster.plane);
    return (await this.#port).kubeconfig;
  }

  /**
   * An independent copy as of now, with its own clock and copies of your apps. The seed decides the same in both.
   * `signal` ends the copy when it aborts; default: the signal that this cluster was started with.
   */
  async fork(options: { readonly signal?: AbortSignal } = {}): Promise<TestCluster> {
    await this.settle();
    const parts = forkedParts(this.#parts, options.signal);
    const { nextDueMs = Infinity } = this.clock;
    const copy = this.#cluster.fork({
      quietFor: nextDueMs - this.clock.now(),
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
   * Settles the cluster and writes it to a file for `openCluster` in this or another process: objects with their
   * revisions, time, random state and keys, but not apps, faults and traces.
   */
  async save(path: string): Promise<void> {
    await this.settle();
    await writeSnapshotFile(path, snapshotOf(this.#cluster.plane, this.#parts));
  }

  /** Stops the cluster, as `await using` does. May be called again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#parts.world.untilStopped(this.#end());
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
