import type { NodeAffinity, TopologySpreadConstraint } from '../../api/types/core/v1.d.ts';

/**
 * A KubeSchedulerConfiguration of `kubescheduler.config.k8s.io/v1` with all defaults in place. Durations are Go
 * duration strings.
 */
export interface SchedulerConfiguration {
  readonly parallelism: number;
  readonly leaderElection: LeaderElectionConfiguration;
  readonly clientConnection: ClientConnectionConfiguration;
  readonly enableProfiling: boolean;
  readonly enableContentionProfiling: boolean;
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  readonly profiles: readonly ProfileConfiguration[];
  readonly extenders: readonly ExtenderConfiguration[];
  readonly delayCacheUntilActive: boolean;
}

export interface LeaderElectionConfiguration {
  readonly leaderElect: boolean;
  readonly leaseDuration: string;
  readonly renewDeadline: string;
  readonly retryPeriod: string;
  readonly resourceLock: string;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

export interface ClientConnectionConfiguration {
  readonly kubeconfig: string;
  readonly acceptContentTypes: string;
  readonly contentType: string;
  readonly qps: number;
  readonly burst: number;
}

export interface ProfileConfiguration {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number;
  /** By extension point, `multiPoint` included; the defaults are merged in. */
  readonly plugins: Readonly<Record<PluginPoint, ConfiguredPlugins>>;
  readonly pluginConfig: readonly PluginArguments[];
}

export interface PluginArguments {
  readonly name: string;
  /** Typed for built-in plugins; any value for others. */
  readonly args: unknown;
}

/** The plugins that a file enables and disables at one extension point, in the file's order. */
export interface ConfiguredPlugins {
  readonly enabled: readonly ConfiguredPlugin[];
  readonly disabled: readonly ConfiguredPlugin[];
}

export interface ConfiguredPlugin {
  readonly name: string;
  /** 0 means a weight of 1. */
  readonly weight: number;
}

/** The members of `plugins`, in the order in which kube-scheduler reads them. */
export const pluginPoints = [
  'preFilter',
  'filter',
  'postFilter',
  'reserve',
  'preScore',
  'score',
  'preBind',
  'bind',
  'postBind',
  'permit',
  'preEnqueue',
  'queueSort',
  'placementGenerate',
  'placementScore',
  'multiPoint',
] as const;

export type PluginPoint = (typeof pluginPoints)[number];

export interface ExtenderConfiguration {
  readonly urlPrefix: string;
  readonly filterVerb: string;
  readonly preemptVerb: string;
  readonly prioritizeVerb: string;
  readonly weight: number;
  readonly bindVerb: string;
  readonly enableHTTPS: boolean;
  readonly tlsConfig?: ExtenderTls;
  /** `0s` means five seconds. */
  readonly httpTimeout: string;
  readonly nodeCacheCapable: boolean;
  readonly managedResources: readonly ManagedResource[];
  readonly ignorable: boolean;
}

export interface ManagedResource {
  readonly name: string;
  /** Whether NodeResourcesFit skips the resource. */
  readonly ignoredByScheduler: boolean;
}

/** The members that end with `Data` are Base64-encoded PEM. */
export interface ExtenderTls {
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  readonly certData?: string;
  readonly keyData?: string;
  readonly caData?: string;
}

export interface ResourceSpec {
  readonly name: string;
  readonly weight: number;
}

export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** The arguments of the built-in plugins, with defaults in place. */
export interface BuiltInArguments {
  readonly DefaultPreemption: {
    readonly minCandidateNodesPercentage: number;
    readonly minCandidateNodesAbsolute: number;
  };
  readonly DynamicResources: { readonly filterTimeout: string; readonly bindingTimeout: string };
  readonly InterPodAffinity: {
    readonly hardPodAffinityWeight: number;
    readonly ignorePreferredTermsOfExistingPods: boolean;
  };
  readonly NodeAffinity: { readonly addedAffinity?: NodeAffinity };
  readonly NodeResourcesBalancedAllocation: { readonly resources: readonly ResourceSpec[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources?: readonly string[];
    readonly ignoredResourceGroups?: readonly string[];
    readonly scoringStrategy: {
      readonly type: string;
      readonly resources: readonly ResourceSpec[];
      readonly requestedToCapacityRatio?: { readonly shape: readonly ShapePoint[] };
    };
  };
  readonly PodTopologySpread: {
    readonly defaultConstraints?: readonly TopologySpreadConstraint[];
    readonly defaultingType: string;
  };
  readonly VolumeBinding: { readonly bindTimeoutSeconds: number; readonly shape?: readonly ShapePoint[] };
}
