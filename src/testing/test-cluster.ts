import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, type Random, SeededRandom, type VirtualClock } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { type Cluster, kubeconfigText, type TracedRequest } from '../cluster/index.ts';
import {
  type App,
  type AppRunOptions,
  conversionOf,
  type DefinedKind,
  installKinds,
  webhookServer,
} from '../kit/index.ts';
import { grant, type TestActor, type TestIdentity } from './acting-as.ts';
import type { InProcessApis } from './in-process-apis.ts';
import type { InProcessWebhooks } from './in-process-webhooks.ts';
import { ObservedResources } from './observed-resources.ts';
import { settleAll, type SettleOptions } from './settle-all.ts';
import { TestWorld } from './test-world.ts';
import type { SchedulingAttempt } from '../cluster/index.ts';

interface Parts {
  readonly world: TestWorld;
  readonly random: Random;
  readonly log: Logger;
  readonly stop: AbortController;
  readonly problems: readonly string[];
  /** What the cluster's server calls without a connection. */
  readonly webhooks: InProcessWebhooks;
  /** API servers that it asks without a connection. */
  readonly apis: InProcessApis;
}

/** An app of the test's at work. */
interface RunningApp {
  /** As it was given to `run`, here or in the cluster that this is a fork of. */
  readonly given: App;
  readonly app: App;
  readonly client: Client;
  readonly running: Promise<void>;
}

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
  readonly #parts: Parts;
  readonly #apps: RunningApp[] = [];
  readonly #identities = new WeakMap<Client, TestIdentity>();
  readonly #clients: Client[] = [];
  readonly #failures: unknown[] = [];
  readonly #servers: Promise<void | number>[] = [];
  #folder: string | undefined;
  #kubeconfig: Promise<string> | undefined;

  constructor(cluster: Cluster, parts: Parts) {
    this.#cluster = cluster;
    this.#parts = parts;
    this.clock = parts.world.clock;
    this.problems = parts.problems;
    parts.world.log = parts.log;
    this.client = this.#newClient(ADMIN, 'keelson-testing');
    cluster.running.catch((error: unknown) => this.#failures.push(error));
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
    const client = this.#newClient({ user, groups }, user);
    this.#clients.push(client);
    return client;
  }

  #newClient(identity: TestIdentity, userAgent: string): Client {
    const wrapTransport = this.#parts.world.observed.wrap;
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

  #start(started: Omit<RunningApp, 'running'>, options: AppRunOptions): void {
    const { stop, webhooks: localWebhooks, apis: localApis, world } = this.#parts;
    const inProcess = { localWebhooks, localApis, hasNoPorts: true, tracker: world.tracker };
    const running = started.app
      .run(started.client, stop.signal, { ...options, ...inProcess })
      .catch((error: unknown) => void this.#failures.push(error));
    this.#apps.push({ ...started, running });
  }

  /** An app that was run here, or in the cluster that this is a fork of, as it runs here: to ask for its trace. */
  appOf(given: App): App {
    const found = this.#apps.find((each) => each.given === given || each.app === given);
    if (found === undefined) throw new Error(`Cannot find app "${given.name}": it was not run in this cluster`);
    return found.app;
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
    const apps = [...this.#cluster.apps, ...this.#apps.map(({ app }) => app)];
    await settleAll(apps, { ...options, clock, tracker, settle: () => world.settle() });
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Opens a port if there is none, and tells where a kubeconfig for it is: for kubectl and all other clients. */
  kubeconfig(): Promise<string> {
    this.#kubeconfig ??= this.#open();
    return this.#kubeconfig;
  }

  /** An independent copy as of now, with a clock and copies of your apps of its own. What a seed decides, it decides alike in both. */
  async fork(): Promise<TestCluster> {
    await this.settle();
    const { world, random, webhooks, apis, ...shared } = this.#parts;
    const observed = new ObservedResources(world.observed);
    const parts: Parts = {
      ...shared,
      world: new TestWorld({ startMs: this.clock.now(), observed, patienceMs: world.patienceMs }),
      random: random instanceof SeededRandom ? random.clone() : random,
      stop: new AbortController(),
      webhooks: webhooks.fork(),
      apis: apis.fork(),
    };
    const copy = this.#cluster.fork({
      clock: parts.world.clock,
      random: parts.random,
      signal: parts.stop.signal,
      localWebhooks: (host) => parts.webhooks.find(host),
      localApis: (host) => parts.apis.find(host),
    });
    const fork = new TestCluster(copy, parts);
    for (const { given, app, client } of this.#apps) {
      const identity = this.#identities.get(client) ?? ADMIN;
      fork.#start({ given, app: app.copy(), client: fork.#newClient(identity, app.name) }, { install: false });
    }
    await fork.settle();
    return fork;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.stop.abort();
    for (const { running, client } of this.#apps) {
      await running;
      await client[Symbol.asyncDispose]();
    }
    for (const client of [...this.#clients, this.client]) await client[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
    await Promise.all(this.#servers);
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #serveConversions(kinds: readonly DefinedKind[]): Promise<{ readonly url: string; readonly caBundle: string }> {
    const server = webhookServer({ handlers: { '/convert': conversionOf(...kinds) } });
    const serving = server.runLocally(this.#parts.webhooks, this.#parts.stop.signal);
    this.#servers.push(serving.catch((error: unknown) => void this.#failures.push(error)));
    return server.clientConfig('/convert');
  }

  async #open(): Promise<string> {
    this.#parts.world.observed.isOpen = true;
    await this.#cluster.plane.listen({ host: '127.0.0.1', port: 0 });
    this.#folder = await mkdtemp(join(tmpdir(), 'keelson-'));
    const path = join(this.#folder, 'kubeconfig');
    await writeFile(path, kubeconfigText(this.#cluster.plane.access), { mode: 0o600 });
    return path;
  }
}
