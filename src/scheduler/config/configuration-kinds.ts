import {
  builtInTypes,
  type ConfigurationFields,
  type ConfigurationKind,
  EMBEDDED,
  FLAG,
  INTEGER,
  listOf,
  LONG,
  objectOf,
  type Shape,
  TEXT,
} from '../../api/index.ts';
import { type BuiltInArguments, pluginPoints } from './configuration.ts';

const GROUP = 'kubescheduler.config.k8s.io';
const DURATION: Shape = { kind: 'scalar', scalar: 'Duration' };
const NUMBER: Shape = { kind: 'scalar', scalar: 'double' };
const BYTES: Shape = { kind: 'scalar', scalar: 'bytes' };

const plugin = objectOf('v1.Plugin', { name: TEXT, weight: INTEGER });
const pluginSet = objectOf('v1.PluginSet', { enabled: listOf(plugin), disabled: listOf(plugin) });

const profile = objectOf('v1.KubeSchedulerProfile', {
  schedulerName: TEXT,
  percentageOfNodesToScore: INTEGER,
  plugins: objectOf('v1.Plugins', Object.fromEntries(pluginPoints.map((point) => [point, pluginSet]))),
  pluginConfig: listOf(objectOf('v1.PluginConfig', { name: TEXT, args: EMBEDDED })),
});

const extender = objectOf('v1.Extender', {
  urlPrefix: TEXT,
  filterVerb: TEXT,
  preemptVerb: TEXT,
  prioritizeVerb: TEXT,
  weight: LONG,
  bindVerb: TEXT,
  enableHTTPS: FLAG,
  tlsConfig: objectOf('v1.ExtenderTLSConfig', {
    insecure: FLAG,
    serverName: TEXT,
    certFile: TEXT,
    keyFile: TEXT,
    caFile: TEXT,
    certData: BYTES,
    keyData: BYTES,
    caData: BYTES,
  }),
  httpTimeout: DURATION,
  nodeCacheCapable: FLAG,
  managedResources: listOf(objectOf('v1.ExtenderManagedResource', { name: TEXT, ignoredByScheduler: FLAG })),
  ignorable: FLAG,
});

const fields: ConfigurationFields = {
  parallelism: INTEGER,
  leaderElection: objectOf('v1alpha1.LeaderElectionConfiguration', {
    leaderElect: FLAG,
    leaseDuration: DURATION,
    renewDeadline: DURATION,
    retryPeriod: DURATION,
    resourceLock: TEXT,
    resourceName: TEXT,
    resourceNamespace: TEXT,
  }),
  clientConnection: objectOf('v1alpha1.ClientConnectionConfiguration', {
    kubeconfig: TEXT,
    acceptContentTypes: TEXT,
    contentType: TEXT,
    qps: NUMBER,
    burst: INTEGER,
  }),
  enableProfiling: FLAG,
  enableContentionProfiling: FLAG,
  percentageOfNodesToScore: INTEGER,
  podInitialBackoffSeconds: LONG,
  podMaxBackoffSeconds: LONG,
  profiles: listOf(profile),
  extenders: listOf(extender),
  delayCacheUntilActive: FLAG,
};

export const schedulerConfigurationKind: ConfigurationKind = kindOf('KubeSchedulerConfiguration', () => fields);

const resources = listOf(objectOf('v1.ResourceSpec', { name: TEXT, weight: LONG }));
const shape = listOf(objectOf('v1.UtilizationShapePoint', { utilization: INTEGER, score: INTEGER }));

const argumentFields: Readonly<Record<keyof BuiltInArguments, () => ConfigurationFields>> = {
  DefaultPreemption: () => ({ minCandidateNodesPercentage: INTEGER, minCandidateNodesAbsolute: INTEGER }),
  DynamicResources: () => ({ filterTimeout: DURATION, bindingTimeout: DURATION }),
  InterPodAffinity: () => ({ hardPodAffinityWeight: INTEGER, ignorePreferredTermsOfExistingPods: FLAG }),
  NodeAffinity: () => ({ addedAffinity: coreType('NodeAffinity') }),
  NodeResourcesBalancedAllocation: () => ({ resources }),
  NodeResourcesFit: () => ({
    ignoredResources: listOf(TEXT),
    ignoredResourceGroups: listOf(TEXT),
    scoringStrategy: objectOf('v1.ScoringStrategy', {
      type: TEXT,
      resources,
      requestedToCapacityRatio: objectOf('v1.RequestedToCapacityRatioParam', { shape }),
    }),
  }),
  PodTopologySpread: () => ({
    defaultConstraints: listOf(coreType('TopologySpreadConstraint')),
    defaultingType: TEXT,
  }),
  VolumeBinding: () => ({ bindTimeoutSeconds: LONG, shape }),
};

/** The names of the built-in plugins that take arguments, sorted. */
export const pluginsWithArguments = Object.keys(argumentFields).sort() as (keyof BuiltInArguments)[];

/** The kind of a built-in plugin's arguments; undefined for plugins that take none, or are not built in. */
export function argumentsKind(name: string): ConfigurationKind | undefined {
  return isWithArguments(name) ? kindOf(`${name}Args`, argumentFields[name]) : undefined;
}

export function isWithArguments(name: string): name is keyof BuiltInArguments {
  return Object.hasOwn(argumentFields, name);
}

function kindOf(kind: string, members: () => ConfigurationFields): ConfigurationKind {
  return { group: GROUP, kind, versions: ['v1'], fields: members };
}

function coreType(name: string): Shape {
  return { kind: 'struct', struct: builtInTypes().struct(`io.k8s.api.core.v1.${name}`) };
}
