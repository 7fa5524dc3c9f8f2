import { compareUtf8 } from '../../base/index.ts';
import type {
  BuiltInArguments,
  ClientConnectionConfiguration,
  ConfiguredPlugins,
  ExtenderConfiguration,
  LeaderElectionConfiguration,
  ManagedResource,
  PluginArguments,
  PluginPoint,
  ProfileConfiguration,
  ResourceSpec,
  SchedulerConfiguration,
} from './configuration.ts';
import { isWithArguments } from './configuration-kinds.ts';
import { mergePlugins, type WrittenPlugins } from './default-plugins.ts';

export interface WrittenPluginArguments {
  readonly name?: string;
  readonly args?: unknown;
}

interface WrittenProfile {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: Readonly<Partial<Record<PluginPoint, WrittenPlugins>>>;
  readonly pluginConfig?: readonly WrittenPluginArguments[];
}

interface WrittenExtender extends Partial<Omit<ExtenderConfiguration, 'managedResources'>> {
  readonly managedResources?: readonly Partial<ManagedResource>[];
}

/** A KubeSchedulerConfiguration as written in a file: every member is optional. */
export interface WrittenConfiguration extends Partial<
  Omit<SchedulerConfiguration, 'profiles' | 'extenders' | 'leaderElection' | 'clientConnection'>
> {
  readonly kind?: string;
  readonly leaderElection?: Partial<LeaderElectionConfiguration>;
  readonly clientConnection?: Partial<ClientConnectionConfiguration>;
  readonly profiles?: readonly WrittenProfile[];
  readonly extenders?: readonly WrittenExtender[];
}

/** Fills in defaults. Empty strings, zero durations and some zeros count as absent, as in kube-scheduler. */
export function withDefaults(written: WrittenConfiguration): SchedulerConfiguration {
  const { enableProfiling = true, profiles = [] } = written;
  const all = profiles.length === 0 ? [{}] : profiles;
  return {
    parallelism: written.parallelism ?? 16,
    leaderElection: leaderElection(written.leaderElection),
    clientConnection: clientConnection(written.clientConnection),
    enableProfiling,
    enableContentionProfiling: written.enableContentionProfiling ?? enableProfiling,
    percentageOfNodesToScore: written.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: written.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: written.podMaxBackoffSeconds ?? 10,
    profiles: all.map((profile) => profileOf(profile, all.length === 1 ? 'default-scheduler' : '')),
    extenders: (written.extenders ?? []).map(extenderOf),
    delayCacheUntilActive: written.delayCacheUntilActive ?? false,
  };
}

function leaderElection(written: Partial<LeaderElectionConfiguration> = {}): LeaderElectionConfiguration {
  const { leaderElect = true, leaseDuration, renewDeadline, retryPeriod } = written;
  return {
    leaderElect,
    leaseDuration: duration(leaseDuration, '15s'),
    renewDeadline: duration(renewDeadline, '10s'),
    retryPeriod: duration(retryPeriod, '2s'),
    resourceLock: given(written.resourceLock, 'leases'),
    resourceName: given(written.resourceName, 'kube-scheduler'),
    resourceNamespace: given(written.resourceNamespace, 'kube-system'),
  };
}

function clientConnection(written: Partial<ClientConnectionConfiguration> = {}): ClientConnectionConfiguration {
  return {
    kubeconfig: written.kubeconfig ?? '',
    acceptContentTypes: written.acceptContentTypes ?? '',
    contentType: given(written.contentType, 'application/vnd.kubernetes.protobuf'),
    qps: written.qps === undefined || written.qps === 0 ? 50 : written.qps,
    burst: written.burst === undefined || written.burst === 0 ? 100 : written.burst,
  };
}

function profileOf(written: WrittenProfile, defaultName: string): ProfileConfiguration {
  const { schedulerName = defaultName, percentageOfNodesToScore } = written;
  const plugins = mergePlugins(written.plugins);
  return {
    schedulerName,
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
    plugins,
    pluginConfig: pluginConfig(written.pluginConfig ?? [], plugins),
  };
}

/** The file's plugin arguments, plus defaults for enabled plugins that the file does not configure. */
function pluginConfig(
  written: readonly WrittenPluginArguments[],
  plugins: Readonly<Record<PluginPoint, ConfiguredPlugins>>,
): readonly PluginArguments[] {
  const said = written.map(({ name = '', args }) => ({ name, args: argumentsWithDefaults(name, args) }));
  const names = new Set(Object.values(plugins).flatMap(({ enabled }) => enabled.map(({ name }) => name)));
  for (const { name } of said) names.delete(name);
  const others = [...names].filter(isWithArguments).sort(compareUtf8);
  return [...said, ...others.map((name) => ({ name, args: argumentsWithDefaults(name, {}) }))];
}

function argumentsWithDefaults(name: string, args: unknown): unknown {
  return isWithArguments(name) ? builtInArguments(name, args) : args;
}

function builtInArguments<Name extends keyof BuiltInArguments>(name: Name, args: unknown): BuiltInArguments[Name] {
  return argumentDefaults[name]((args ?? {}) as Partial<BuiltInArguments[Name]>); // the decoder checked the type
}

const RESOURCES: readonly ResourceSpec[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

type ArgumentDefaults = {
  readonly [Name in keyof BuiltInArguments]: (written: Partial<BuiltInArguments[Name]>) => BuiltInArguments[Name];
};

const argumentDefaults: ArgumentDefaults = {
  DefaultPreemption: ({ minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 }) => ({
    minCandidateNodesPercentage,
    minCandidateNodesAbsolute,
  }),
  DynamicResources: ({ filterTimeout = '10s', bindingTimeout = '10m0s' }) => ({ filterTimeout, bindingTimeout }),
  InterPodAffinity: ({ hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false }) => ({
    hardPodAffinityWeight,
    ignorePreferredTermsOfExistingPods,
  }),
  NodeAffinity: (written) => written,
  NodeResourcesBalancedAllocation: ({ resources }) => ({ resources: scoredResources(resources) }),
  NodeResourcesFit: ({ scoringStrategy, ...others }) => ({
    ...others,
    scoringStrategy: {
      ...scoringStrategy,
      type: scoringStrategy === undefined ? 'LeastAllocated' : (scoringStrategy.type ?? ''),
      resources: scoredResources(scoringStrategy?.resources),
    },
  }),
  PodTopologySpread: ({ defaultingType, ...others }) => ({
    ...others,
    defaultingType: given(defaultingType, 'System'),
  }),
  VolumeBinding: ({ bindTimeoutSeconds = 600, ...others }) => ({ bindTimeoutSeconds, ...others }),
};

function scoredResources(written: readonly Partial<ResourceSpec>[] = []): readonly ResourceSpec[] {
  if (written.length === 0) return RESOURCES;
  return written.map(({ name = '', weight = 0 }) => ({ name, weight: weight === 0 ? 1 : weight }));
}

function extenderOf(written: WrittenExtender): ExtenderConfiguration {
  return {
    urlPrefix: written.urlPrefix ?? '',
    filterVerb: written.filterVerb ?? '',
    preemptVerb: written.preemptVerb ?? '',
    prioritizeVerb: written.prioritizeVerb ?? '',
    weight: written.weight ?? 0,
    bindVerb: written.bindVerb ?? '',
    enableHTTPS: written.enableHTTPS ?? false,
    ...(written.tlsConfig === undefined ? {} : { tlsConfig: written.tlsConfig }),
    httpTimeout: duration(written.httpTimeout, '5s'),
    nodeCacheCapable: written.nodeCacheCapable ?? false,
    managedResources: (written.managedResources ?? []).map(({ name = '', ignoredByScheduler = false }) => ({
      name,
      ignoredByScheduler,
    })),
    ignorable: written.ignorable ?? false,
  };
}

function given(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '' ? otherwise : text;
}

function duration(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '0s' ? otherwise : text;
}
