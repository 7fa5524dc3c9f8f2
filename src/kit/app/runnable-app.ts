import {
  describeError,
  MetricRegistry,
  millisecondsOf,
  randomUid,
  type Runnable,
  runTogether,
} from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { LeaderElectionOptions } from '../election/leader-election.ts';
import { LeadershipLostError } from '../election/leadership-lost.ts';
import type { Part } from '../part.ts';
import type { AccessNeed } from '../rbac/access-need.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { InstallOptions } from '../resource/install-options.ts';
import { type ReconcileRecord, type TraceFilter, TraceRing } from '../trace.ts';
import { ELECTION_NEEDS, INSTALLATION_NEED } from './app-needs.ts';
import type { App, PartView, ProgramAppOptions, ProgramRunOptions } from './app-options.ts';
import type { ExtensionServer } from './extension-server.ts';
import { HealthServer } from './health-server.ts';
import { Installation } from './installation.ts';
import { Session } from './session.ts';
import type { KindCache } from './shared-resources.ts';

/** The options of an app after its server was made. */
export interface RunnableOptions extends Omit<ProgramAppOptions, 'server'> {
  readonly server?: ExtensionServer;
}

/** An app with its server. */
export class RunnableApp implements App {
  readonly name: string;
  readonly resources: readonly DefinedKind[];
  readonly #own: readonly Part[];
  readonly #parts: readonly Part[];
  readonly #options: RunnableOptions;
  readonly #trace: TraceRing;
  #isRunning = false;
  /** The identity in leader elections. */
  #identity: string | undefined;
  readonly #installation: Installation;
  #session: Session | undefined;

  constructor(name: string, own: readonly Part[], options: RunnableOptions) {
    const { server } = options;
    const served = [...(server?.parts ?? [])];
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
    return this.#session === undefined ? ['not running'] : this.#session.unready;
  }

  caches(): readonly KindCache[] {
    return this.#session?.caches ?? [];
  }

  parts(): readonly PartView[] {
    return this.#session?.parts ?? [];
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
    await this.#options.server?.apis?.load();
  }

  copy(): App {
    const { resources: _, server: __, ...options } = this.#options;
    const { leaderElection = false } = options;
    if (leaderElection === false || this.#identity === undefined) return new RunnableApp(this.name, this.#own, options);
    const election = { ...(leaderElection === true ? {} : leaderElection), identity: this.#identity }; // the copy leads where this app leads
    return new RunnableApp(this.name, this.#own, { ...options, leaderElection: election });
  }

  async run(client: Client, signal: AbortSignal, options: ProgramRunOptions = {}): Promise<void> {
    if (this.#isRunning) throw new Error(`Cannot run app "${this.name}": it is running`);
    this.#isRunning = true;
    const { server } = this.#options;
    const { webhooks, apis } = server ?? {};
    const { health = this.#options.health, service } = options;
    if (service !== undefined) server?.standBehind(service);
    const tasks: Runnable[] = [{ run: (scope) => this.#work(client, scope, options) }];
    if (health !== undefined && options.opensPorts !== false) tasks.push(new HealthServer(health, this));
    if (apis !== undefined) tasks.push({ run: (scope) => apis.run(client, scope, options.localApis) });
    const { localWebhooks: local } = options;
    if (server !== undefined && local === undefined) tasks.push({ run: (scope) => server.run(client, scope) });
    if (webhooks !== undefined && local !== undefined)
      tasks.push({ run: (scope) => webhooks.runLocally(local, scope) });
    else if (webhooks !== undefined) tasks.push(webhooks);
    try {
      await runTogether(tasks, signal);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Runs term after term. Each term prepares new parts, because those of the last term may have been interrupted anywhere. */
  async #work(client: Client, signal: AbortSignal, options: ProgramRunOptions): Promise<void> {
    const install = options.install ?? this.#options.install ?? false;
    if (install !== false && this.resources.length > 0) await this.#install(client, signal, install);
    const again = (): void => void this.#installAgain(client, signal, install);
    using _authority = this.#options.server?.onAuthority(again);
    const election = this.#election(client, options);
    const { component = this.name, stopGrace = options.stopGrace ?? 0, eventPace } = this.#options;
    const { clientFor = this.#options.clientFor, tracker, dormancy, onRun } = options;
    const trace = { push: (record: ReconcileRecord) => (this.#trace.push(record), onRun?.(record)) };
    const shared = {
      name: this.name,
      component,
      client,
      clientFor,
      election,
      trace,
      stopGraceMs: millisecondsOf(stopGrace),
      tracker,
      dormancy,
      eventPace,
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

  /** Installs the kinds again when the authority of the conversion webhook has changed. */
  async #installAgain(client: Client, signal: AbortSignal, install: boolean | InstallOptions): Promise<void> {
    if (install === false || !this.resources.some(({ isConverted }) => isConverted)) return;
    try {
      await this.#install(client, signal, install);
    } catch (error) {
      client.log.error('cannot tell of the new authority of conversions', {
        app: this.name,
        error: describeError(error),
      });
    }
  }

  async #install(client: Client, signal: AbortSignal, install: true | InstallOptions): Promise<void> {
    const options: InstallOptions = install === true ? {} : install;
    const isConverting = this.resources.some(({ isConverted }) => isConverted);
    const own = isConverting ? await this.#options.server?.webhooks.clientConfigOf('/convert') : undefined;
    const conversion = options.conversion ?? own;
    await this.#installation.run(client, { ...options, conversion, fieldManager: this.name, signal });
  }

  #election(
    client: Client,
    options: ProgramRunOptions,
  ): (LeaderElectionOptions & { readonly name: string; readonly identity: string }) | undefined {
    const { leaderElection = this.#options.leaderElection ?? false } = options;
    if (leaderElection === false) return undefined;
    const given = leaderElection === true ? {} : leaderElection;
    const { name = this.name, identity = `${this.name}_${randomUid(client.random)}` } = given;
    this.#identity = identity;
    return { ...given, name, identity };
  }
}
