import { describeError, MetricRegistry, RandomUidSource, type Runnable, runTogether } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { type HealthOptions, HealthServer } from './app/health-server.ts';
import type { Dormancy, ReadKind } from './app/dormancy.ts';
import { Installation } from './app/installation.ts';
import type { KindCache } from './app/shared-resources.ts';
import { Session } from './app/session.ts';
import type { LeaderElectionOptions } from './election/leader-election.ts';
import { LeadershipLostError } from './election/leadership-lost.ts';
import type { ExtensionServer, ExtensionServing } from './app/extension-server.ts';
import type { Part } from './part.ts';
import type { AccessNeed } from './rbac/access-need.ts';
import type { DefinedKind } from './resource/defined-kind.ts';
import type { InstallOptions } from './resource/install-options.ts';
import { type ReconcileRecord, type TraceFilter, TraceRing } from './trace.ts';
import type { AppApis, LocalApis } from './apis/index.ts';
import type { LocalWebhooks, WebhookServer } from './webhooks/index.ts';
import type { RunTracker } from './work/run-tracker.ts';

export interface AppOptions extends AppRunOptions {
  /** Answers all that API servers ask the app, whether this replica leads or not; see `extensionServer`. */
  readonly server?: ExtensionServing;
  /** The component that events name as their source; the app's name unless given. */
  readonly component?: string;
  /** Answers webhooks, whether this replica leads or not; see `webhookServer`. */
  readonly webhooks?: Runnable & Partial<Pick<WebhookServer, 'clientConfigOf' | 'runLocally' | 'standBehind'>>;
  /** Serves APIs behind the cluster's API server, whether this replica leads or not; see `apiServer`. */
  readonly apis?: Omit<AppApis, 'standBehind'> & Partial<Pick<AppApis, 'standBehind'>>;
  /** The kinds that the app brings along; see `resource`. */
  readonly resources?: readonly DefinedKind[];
  /** What the app does to objects besides what its parts declare, such as with its client; see `rbacOf`. */
  readonly needs?: readonly AccessNeed[];
  /** How many reconciles are remembered for `trace`; 1,000 unless given. */
  readonly traceCapacity?: number;
}

export interface AppRunOptions {
  /** Of several replicas one works, elected by a Lease; the others stand by with filled caches. All work unless given. */
  readonly leaderElection?: LeaderElectionOptions | boolean;
  /** Answers probes and scrapes over HTTP; not unless given. */
  readonly health?: HealthOptions;
  /** What is under way when the app stops may take so long to finish before it is aborted; aborted at once unless given. */
  readonly stopGraceMs?: number;
  /** Makes the server serve the app's `resources` before anything else; not unless given. */
  readonly install?: boolean | InstallOptions;
  /** API servers of this process, which the app's webhooks answer without sockets; over HTTPS unless given. */
  readonly localWebhooks?: LocalWebhooks;
  /** API servers of this process that reach the app's APIs without sockets; over HTTPS unless given. */
  readonly localApis?: LocalApis;
  /** The Service by which API servers reach the app's webhooks and APIs; this machine unless given. */
  readonly service?: AppService;
  /** Opens no port for probes and scrapes; opened unless given. */
  readonly hasNoPorts?: boolean;
  /** Knows which runs are under way; not followed unless given. */
  readonly tracker?: RunTracker;
  /** Is told of each run of a reconciler, or of other workers, when it has ended. */
  readonly onRun?: (record: ReconcileRecord) => void;
  /**
   * The client of a writer: a part by its account or name, or whom a part writes for. Caches are shared, and read with the app's
   * own client. All write with that one unless given.
   */
  readonly clientFor?: (writer: string) => Client | undefined;
  /** Knows which parts have nothing to do for now, and are not begun; all are begun at once unless given. */
  readonly dormancy?: Dormancy;
}

/** A Service that leads to an app; its ports are those of the app. */
export interface AppService {
  readonly namespace: string;
  readonly name: string;
  readonly webhookPort: number;
  readonly apiPort: number;
}

/** Controllers and other parts that run together: on one client, with shared caches. */
export interface App {
  readonly name: string;
  /** The kinds that the app brings along. */
  readonly resources: readonly DefinedKind[];
  /** What its declarations say that it does to objects; see `rbacOf`. */
  readonly needs: readonly AccessNeed[];
  /** The paths at which its server answers webhooks; see `extensionServer`. */
  readonly webhookPaths: readonly string[];
  /** Loads the code that only some apps need, such as that of API servers; `run` does so itself. */
  load(): Promise<void>;
  /**
   * Runs all parts until the signal aborts, and resolves when everything has ended. Rejects when a part fails for good.
   * When the lead is lost the parts end, and are prepared anew to wait for it again.
   */
  run(client: Client, signal: AbortSignal, options?: AppRunOptions): Promise<void>;
  /**
   * An app of the same controllers, to be run beside this one on a copy of its cluster. Its kinds are there already, and its webhooks
   * and APIs are answered.
   */
  copy(): App;
  /** Whether nothing is waiting or under way that could go on without time passing. */
  readonly isIdle: boolean;
  /** What keeps the app from being ready, such as a cache that is not filled yet; nothing when it is. */
  readonly unready: readonly string[];
  /** The caches that hold all objects of a kind: for checks, and for looking at them. */
  caches(): readonly KindCache[];
  /** The kinds that parts read, by the name of the part; of those that have begun. */
  reads(): ReadonlyMap<string, readonly ReadKind[]>;
  /** All metrics in Prometheus' text format. */
  readonly metrics: string;
  /** The same, to be shown together with what others count; none while the app does not run. */
  readonly registries: readonly MetricRegistry[];
  /** The last reconciles, oldest first: which, why, how long, and what came of it. */
  trace(filter?: TraceFilter): readonly ReconcileRecord[];
}

/** An app of the given parts, to be run with a client: `await app('web', [pods]).run(await connect(), signal)`. */
export function app(name: string, parts: readonly Part[], options: AppOptions = {}): App {
  return new RunnableApp(name, parts, withServer(name, parts, options));
}

/** The options of an app whose server has been made. */
interface RunnableOptions extends Omit<AppOptions, 'server'> {
  readonly server?: ExtensionServer;
}

function withServer(name: string, parts: readonly Part[], options: AppOptions): RunnableOptions {
  const { server: serving, ...rest } = options;
  const asked = parts.find(({ handlers }) => handlers !== undefined);
  if (serving === undefined && asked !== undefined)
    throw new Error(`Cannot make app "${name}": part "${asked.name}" is asked over HTTPS, so the app needs a server`);
  if (serving === undefined) return rest;
  if (rest.webhooks !== undefined || rest.apis !== undefined)
    throw new Error(`Cannot make app "${name}": its server answers webhooks and APIs, it needs no others`);
  const server = serving.serverOf({ name, parts, resources: rest.resources ?? [] });
  const { webhooks, apis } = server;
  return { ...rest, server, webhooks, ...(apis === undefined ? {} : { apis }) };
}

/** What leader election needs where the app runs: its Lease, and events that tell who leads. */
export const ELECTION_NEEDS: readonly AccessNeed[] = [
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'create', 'update'], isLocal: true },
  { group: '', resource: 'events', verbs: ['create', 'patch'], isLocal: true },
];

/** What installing kinds needs. */
export const INSTALLATION_NEED: AccessNeed = {
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  verbs: ['get', 'list', 'watch', 'create', 'patch'],
};

class RunnableApp implements App {
  readonly name: string;
  readonly resources: readonly DefinedKind[];
  readonly #own: readonly Part[];
  readonly #parts: readonly Part[];
  readonly #options: RunnableOptions;
  readonly #trace: TraceRing;
  #isRunning = false;
  /** As it is known in elections. */
  #identity: string | undefined;
  readonly #installation: Installation;
  #session: Session | undefined;

  constructor(name: string, own: readonly Part[], options: RunnableOptions) {
    const { apis, server } = options;
    const served = [...(server?.parts ?? []), ...(apis === undefined ? [] : [apis.registration])];
    const parts = [...own, ...served];
    const twice = parts.find((part, index) => parts.findIndex((other) => other.name === part.name) !== index);
    if (twice !== undefined) throw new Error(`Cannot make app "${name}": two parts are called "${twice.name}"`);
    this.name = name;
    this.resources = options.resources ?? [];
    this.#installation = new Installation(this.resources);
    this.#own = own;
    this.#parts = parts;
    this.#options = options;
    this.#trace = new TraceRing(options.traceCapacity);
  }

  get needs(): readonly AccessNeed[] {
    const { leaderElection = false, install = false, needs: further = [] } = this.#options;
    return [
      ...this.#parts.flatMap(({ needs = [] }) => needs),
      ...further,
      ...(leaderElection === false ? [] : ELECTION_NEEDS),
      ...(install === false || this.resources.length === 0 ? [] : [INSTALLATION_NEED]),
    ];
  }

  get webhookPaths(): readonly string[] {
    return this.#options.server?.paths ?? [];
  }

  get isIdle(): boolean {
    return this.#installation.isIdle && (this.#session?.isIdle ?? true);
  }

  get unready(): readonly string[] {
    if (this.#installation.isUnderWay) return ['kinds not installed'];
    return this.#session === undefined ? ['not running'] : this.#session.staleCaches;
  }

  caches(): readonly KindCache[] {
    return this.#session?.caches ?? [];
  }

  reads(): ReadonlyMap<string, readonly ReadKind[]> {
    return this.#session?.reads ?? new Map();
  }

  get metrics(): string {
    return MetricRegistry.exposeAll(this.registries, 'text');
  }

  get registries(): readonly MetricRegistry[] {
    const { server } = this.#options;
    const served = server === undefined ? [] : [server.metrics];
    return this.#session === undefined ? [] : [this.#session.metrics, ...served];
  }

  trace(filter?: TraceFilter): readonly ReconcileRecord[] {
    return this.#trace.list(filter);
  }

  async load(): Promise<void> {
    await this.#options.apis?.load();
  }

  copy(): App {
    const { resources: _, webhooks: __, apis: ___, server: ____, ...options } = this.#options;
    const { leaderElection = false } = options;
    if (leaderElection === false || this.#identity === undefined) return new RunnableApp(this.name, this.#own, options);
    const election = { ...(leaderElection === true ? {} : leaderElection), identity: this.#identity }; // it leads where this one does
    return new RunnableApp(this.name, this.#own, { ...options, leaderElection: election });
  }

  async run(client: Client, signal: AbortSignal, options: AppRunOptions = {}): Promise<void> {
    if (this.#isRunning) throw new Error(`Cannot run app "${this.name}": it is running`);
    this.#isRunning = true;
    const { webhooks, apis } = this.#options;
    const { health = this.#options.health, service } = options;
    if (service !== undefined) this.#standBehind(service);
    const tasks: Runnable[] = [{ run: (scope) => this.#work(client, scope, options) }];
    if (health !== undefined && options.hasNoPorts !== true) tasks.push(new HealthServer(health, this));
    if (apis !== undefined) tasks.push({ run: (scope) => apis.run(client, scope, options.localApis) });
    const { localWebhooks: local } = options;
    const { server } = this.#options;
    if (server !== undefined && local === undefined) tasks.push({ run: (scope) => server.run(client, scope) });
    if (webhooks?.runLocally !== undefined && local !== undefined)
      tasks.push({ run: async (scope) => webhooks.runLocally?.(local, scope) });
    else if (webhooks !== undefined) tasks.push(webhooks);
    try {
      await runTogether(tasks, signal);
    } finally {
      this.#isRunning = false;
    }
  }

  #standBehind({ namespace, name, webhookPort, apiPort }: AppService): void {
    const { webhooks, apis, server } = this.#options;
    if (server !== undefined) return server.standBehind({ namespace, name, port: webhookPort });
    webhooks?.standBehind?.({ namespace, name, port: webhookPort });
    apis?.standBehind?.({ namespace, name, port: apiPort });
  }

  /** Term after term: each begins with fresh parts, for nobody knows what those of the last one were at. */
  async #work(client: Client, signal: AbortSignal, options: AppRunOptions): Promise<void> {
    const install = options.install ?? this.#options.install ?? false;
    if (install !== false && this.resources.length > 0)
      await this.#install(client, signal, install === true ? {} : install);
    const again = (): void => void this.#installAgain(client, signal, install);
    using _authority = this.#options.server?.onAuthority(again);
    const election = this.#election(client, options);
    const { component = this.name, stopGraceMs = options.stopGraceMs ?? 0 } = this.#options;
    const { clientFor = this.#options.clientFor } = options;
    const { tracker, dormancy, onRun } = options;
    const trace = { push: (record: ReconcileRecord) => (this.#trace.push(record), onRun?.(record)) };
    const shared = {
      name: this.name,
      component,
      client,
      clientFor,
      election,
      trace,
      stopGraceMs,
      tracker,
      dormancy,
    };
    try {
      while (!signal.aborted) {
        this.#session = new Session(this.#parts, shared);
        try {
          await this.#session.run(signal);
        } catch (error) {
          if (!(error instanceof LeadershipLostError)) throw error;
          client.log.warn('lead lost, waiting for it again', { app: this.name, error: describeError(error) });
        }
      }
    } finally {
      this.#session = undefined;
    }
  }

  /** Tells the cluster of another authority of the conversion webhook. */
  async #installAgain(client: Client, signal: AbortSignal, install: boolean | InstallOptions): Promise<void> {
    if (install === false || !this.resources.some(({ isConverted }) => isConverted)) return;
    try {
      await this.#install(client, signal, install === true ? {} : install);
    } catch (error) {
      client.log.error('cannot tell of the new authority of conversions', {
        app: this.name,
        error: describeError(error),
      });
    }
  }

  async #install(client: Client, signal: AbortSignal, options: InstallOptions): Promise<void> {
    const isConverting = this.resources.some(({ isConverted }) => isConverted);
    const own = isConverting ? await this.#options.webhooks?.clientConfigOf?.('/convert') : undefined;
    const conversion = options.conversion ?? own;
    await this.#installation.run(client, { ...options, conversion, fieldManager: this.name, signal });
  }

  #election(
    client: Client,
    options: AppRunOptions,
  ): (LeaderElectionOptions & { readonly name: string; readonly identity: string }) | undefined {
    const { leaderElection = this.#options.leaderElection ?? false } = options;
    if (leaderElection === false) return undefined;
    const given = leaderElection === true ? {} : leaderElection;
    const { name = this.name, identity = `${this.name}_${new RandomUidSource(client.random).next()}` } = given;
    this.#identity = identity;
    return { ...given, name, identity };
  }
}
