import type { Clock, Logger, Random } from '../../base/index.ts';
import type { Client, ClusterConnection, Credentials, Pace, Transport } from '../../client/index.ts';
import type { PolicyRule } from '../../api/types/rbac/v1.d.ts';
import type { Resource } from '../../apiserver/index.ts';
import type { LeaderElectionOptions, Part, SecureHealthOptions } from '../../kit/index.ts';
import type { OwnObject } from '../bootstrap/own-object.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { Identity } from '../in-process-client.ts';
import type { FlagDefinitions, FlagValues } from './flag.ts';
import type { UpstreamFlag, Verdict } from './upstream-flag.ts';

/** How fast one of several processes takes over from another. */
export type ElectionTiming = Pick<LeaderElectionOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>;

/** The line of a program in the list: what the overview of commands shows, and where the rest is. */
export interface ProgramEntry<Options extends object = object> {
  /** `keelson COMMAND` runs it alone; absent for a program that only runs in a cluster. */
  readonly command?: string;
  /** What the overview of commands says about it. */
  readonly summary: string;
  load(): Promise<{ readonly program: Program<Options> }>;
}

/** The flags of a program, as data. */
export interface ProgramFlags {
  /** Obeyed by `keelson up` and by the program alone. */
  readonly shared?: FlagDefinitions;
  /** Obeyed by `keelson up` only. */
  readonly inCluster?: FlagDefinitions;
  /** Obeyed by the program alone only, besides those that all programs have; these override them. */
  readonly standalone?: FlagDefinitions;
  /** What becomes of the flags of the Kubernetes program of this name; absent where there is none. */
  readonly upstream?: {
    readonly inCluster: readonly UpstreamFlag[];
    readonly standalone: readonly UpstreamFlag[];
  };
  /** Configuration files that the program alone reads, for the page of flags. */
  readonly files?: readonly ConfigurationFile[];
}

/** A kind of configuration file, field by field. */
export interface ConfigurationFile {
  /** `KubeletConfiguration (kubelet.config.k8s.io/v1beta1)` */
  readonly title: string;
  readonly fields: readonly ConfigurationField[];
}

export interface ConfigurationField {
  /** `authentication.x509.clientCAFile` */
  readonly name: string;
  /** Empty where there is none. */
  readonly default: string;
  readonly verdict: Verdict;
  readonly why: string;
}

/** What `keelson COMMAND --help` says besides the flags. */
export interface ProgramHelp {
  /** The flags that people use, by heading. */
  readonly common: Readonly<Record<string, readonly string[]>>;
  /** Command lines with a comment each. */
  readonly examples: readonly (readonly [line: string, comment: string])[];
}

/**
 * A program of a control plane. `Options` is what `launchCluster` takes on its behalf.
 *
 * It runs in two ways: in a cluster, beside the API server of the same process, and alone, as a client of any API server.
 */
export interface Program<Options extends object = object> {
  /** The user agent, the manager in managedFields, and the name of the lease: `kube-scheduler`. */
  readonly name: string;
  readonly flags: ProgramFlags;
  readonly help?: ProgramHelp;
  /** Of several processes on one store, one does the work at a time. */
  readonly isOnePerCluster: boolean;
  /** Whether the program alone works on an API server; default true. One that does not ends when its `standalone` does. */
  readonly isClient?: boolean;
  /** Where the program alone answers probes and scrapes by default; absent for one that does not. */
  readonly port?: number;
  /**
   * What its identity may do, beyond the policy that every cluster has. Clusters that run the program have a ClusterRole
   * `keelson:NAME` with these rules, bound to its user.
   */
  readonly access?: { readonly identity: Identity; readonly rules: readonly PolicyRule[] };
  /** Whether a cluster with these options runs it. */
  isWanted(options: Options): boolean;
  /** Imports the code that runs. */
  load(): Promise<ProgramBody<Options>>;
}

/** The code of a program. */
export interface ProgramBody<Options extends object = object> {
  /** What the flags of `keelson up` ask for. */
  readFlags?(flags: FlagValues, tools: { readonly clock: Clock }): Options;
  /** Objects that a cluster with this program has from the start. */
  bootstrapObjects?(options: Options): readonly OwnObject[];
  /** Resources that the API server serves on behalf of the program, in every process that serves requests. */
  resources?(context: ProgramContext<Options>): readonly Resource[];
  /** Opens what the program needs before it runs, such as ports. Copies of a cluster open nothing. */
  open?(context: ProgramContext<Options>): Promise<Disposable>;
  /** The program as a part of a cluster. `opened` is what `open` returned. */
  inCluster(context: ProgramContext<Options>, opened?: Disposable): ComposedProgram;
  /**
   * The program alone, as the flags want it. Absent for one without a command; undefined when the flags asked for something else,
   * which is done.
   */
  standalone?(flags: FlagValues, tools: StandaloneTools): Promise<StandaloneProgram | undefined>;
}

/** What a cluster gives to its programs. */
export interface ProgramContext<Options extends object = object> {
  readonly plane: ControlPlane;
  readonly options: Options & SharedOptions;
  /** Whether other processes may work on the same store. */
  readonly isShared: boolean;
}

/** What every program of a cluster may look at. */
export interface SharedOptions {
  readonly hostname?: string;
  readonly serving?: { readonly listen?: { readonly host: string; readonly port: number } };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A program as a cluster runs it. */
export interface ComposedProgram {
  /** Who reads, and who writes for parts without a writer of their own. */
  readonly identity: Identity;
  /** Who a writer is; undefined for one that writes as the program. */
  readonly identityOf?: (writer: string) => Identity | undefined;
  readonly parts: readonly Part[];
  /** How fast it writes events; default no limit. */
  readonly eventPace?: Pace | undefined;
  /** On a store that other processes share: runs the work only while this process may do it. */
  whileHeld?(work: (signal: AbortSignal) => Promise<void>, holding: Holding): Promise<void>;
}

export interface Holding extends ElectionTiming {
  /** Who this process is among those that may want to do the same. */
  readonly identity: string;
  /** A client that may write leases. */
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** What the process of a program has. */
export interface StandaloneTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  print(text: string): void;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** A program that is about to run alone. */
export interface StandaloneProgram {
  /** Where the API server is; default: as the flags say. A transport stands in for one: the program has no cluster. */
  readonly server?: ServerChoice | Transport;
  /** Default: as the flags say. */
  readonly election?: LeaderElectionOptions | false;
  run(connected: ConnectedProgram, signal: AbortSignal): Promise<void>;
}

/** Where a program works; what is missing is found as kubectl finds it. */
export interface ServerChoice {
  readonly kubeconfig: string | undefined;
  /** The URL, in place of the one in the kubeconfig. */
  readonly server: string | undefined;
  readonly pace: Pace | undefined;
  /** True for programs that change the machine: outside of a pod the server must be named, and is not the current one of kubectl. */
  readonly isNamed?: boolean;
}

/** A program that has found its API server. */
export interface ConnectedProgram extends StandaloneTools {
  readonly client: Client;
  readonly connection: ClusterConnection;
  /** Another client of the same server. The caller disposes of it. */
  connectAs(credentials: Credentials): Client;
  readonly election: LeaderElectionOptions | false;
  /** Where to answer probes and scrapes; undefined for nowhere. */
  readonly serving: SecureHealthOptions | undefined;
}

/** What `launchCluster` takes on behalf of the programs in a list. */
export type OptionsOf<Entries extends readonly ProgramEntry[]> = Intersection<
  { [Index in keyof Entries]: Entries[Index] extends ProgramEntry<infer Options> ? [Options] : never }[number]
>;

type Intersection<Wrapped> = (Wrapped extends readonly [infer Options] ? (options: Options) => void : never) extends (
  options: infer All,
) => void
  ? All
  : never;
