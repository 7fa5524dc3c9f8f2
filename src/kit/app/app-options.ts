import type { Duration, MetricRegistry } from '../../base/index.ts';
import type { Client, Pace } from '../../client/index.ts';
import type { LocalApis } from '../apis/index.ts';
import type { LeaderElectionOptions } from '../election/leader-election.ts';
import type { AccessNeed } from '../rbac/access-need.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { InstallOptions } from '../resource/install-options.ts';
import type { ReconcileRecord, TraceFilter } from '../trace.ts';
import type { LocalWebhooks } from '../webhooks/index.ts';
import type { WorkView } from '../work/work-state.ts';
import type { RunTracker } from '../work/run-tracker.ts';
import type { Dormancy, ReadKind } from './dormancy.ts';
import type { ExtensionServing } from './extension-server.ts';
import type { HealthOptions } from './health-server.ts';
import type { KindCache } from './shared-resources.ts';

export interface AppOptions extends AppRunOptions {
  /** Answers webhooks and API requests on every replica, whether or not it leads; see `extensionServer`. */
  readonly server?: ExtensionServing;
  /** The component that events name as their source; default the app's name. */
  readonly component?: string;
  /** The kinds that the app defines; see `resource`. */
  readonly resources?: readonly DefinedKind[];
  /** Access to objects besides what the parts declare, such as what the app does with its client; see `rbacOf`. */
  readonly needs?: readonly AccessNeed[];
  /** How many reconciles are remembered for `trace`; default 1,000. */
  readonly traceCapacity?: number;
}

/** How an app runs: leader election, health, the time to stop in, and what it installs. */
export interface AppRunOptions {
  /** Elects a leader among replicas with a Lease; the others keep their caches filled. Default: all replicas work. */
  readonly leaderElection?: LeaderElectionOptions | boolean;
  /** Answers probes and scrapes over HTTP; default off. */
  readonly health?: HealthOptions;
  /** How long work in progress may take when the app stops, before it is aborted; default 0. */
  readonly stopGrace?: Duration;
  /** Installs the app's `resources` before anything else; default off. */
  readonly install?: boolean | InstallOptions;
}

/** Options for programs that host apps: the cluster's own programs, `keelson dev`, test clusters. */
export interface ProgramRunOptions extends AppRunOptions {
  /** API servers of this process, whose webhook calls the app answers without sockets; default: over HTTPS. */
  readonly localWebhooks?: LocalWebhooks;
  /** API servers of this process that reach the app's APIs without sockets; default: over HTTPS. */
  readonly localApis?: LocalApis;
  /** The Service by which API servers reach the app's server; default: this machine. */
  readonly service?: AppService;
  /** Whether the port for probes and scrapes is opened; default true. */
  readonly opensPorts?: boolean;
  /** How fast events are written; default no limit. */
  readonly eventPace?: Pace;
  /** Tracks which runs are in progress. */
  readonly tracker?: RunTracker;
  /** Called after each run of a reconciler, or of other workers. */
  readonly onRun?: (record: ReconcileRecord) => void;
  /**
   * The client of a writer: a part by its account or name, or an identity that a part writes for. Caches are shared, and read with
   * the app's own client. Default: the app's client.
   */
  readonly clientFor?: (writer: string) => Client | undefined;
  /** Knows which parts have nothing to do yet and need not start; default: all start at once. */
  readonly dormancy?: Dormancy;
}

/** Options of the cluster's own apps. */
export type ProgramAppOptions = AppOptions & ProgramRunOptions;

/** A Service that leads to an app; its ports are those of the app. */
export interface AppService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** A part of a running app, for inspection. */
export interface PartView {
  readonly name: string;
  /** The kinds that it has asked for. */
  readonly reads: readonly ReadKind[];
  /** What its workers do: keys that wait, are worked on, and fail; see `workStateOf`. */
  readonly work: readonly WorkView[];
  /** It has nothing to do yet, and has not begun. */
  readonly isAsleep?: boolean;
}

/** Controllers and other parts that run together: on one client, with shared caches. */
export interface App {
  readonly name: string;
  /** The kinds that the app defines. */
  readonly resources: readonly DefinedKind[];
  /** The access to objects that its parts declare; see `rbacOf`. */
  readonly needs: readonly AccessNeed[];
  /** The paths at which its server answers webhooks; see `extensionServer`. */
  readonly webhookPaths: readonly string[];
  /** Loads the code that only some apps need, such as that of API servers; `run` does so itself. */
  load(): Promise<void>;
  /**
   * Runs all parts until the signal aborts, and resolves when everything has ended. Rejects when a part fails permanently.
   * When the app loses the lead, its parts end, and new ones are prepared that wait to lead again.
   */
  run(client: Client, signal: AbortSignal, options?: AppRunOptions): Promise<void>;
  /**
   * An app with the same controllers, to run beside this one on a copy of its cluster. It installs no kinds and serves
   * neither webhooks nor APIs.
   */
  copy(): App;
  /** True if nothing waits or runs that could continue without time passing. */
  readonly isIdle: boolean;
  /** What keeps the app from being ready, such as an empty cache; empty when it is ready. */
  readonly unready: readonly string[];
  /** The caches that hold all objects of a kind, for inspection. */
  caches(): readonly KindCache[];
  /** The parts that have begun, and those that sleep; none before the app runs. */
  parts(): readonly PartView[];
  /** All metrics in Prometheus' text format. */
  readonly metrics: string;
  /** The same metrics as registries, to be merged with others; empty while the app does not run. */
  readonly registries: readonly MetricRegistry[];
  /** The last reconciles, oldest first, each with its reasons, duration and outcome. */
  trace(filter?: TraceFilter): readonly ReconcileRecord[];
}
