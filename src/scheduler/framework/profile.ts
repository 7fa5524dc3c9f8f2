/** A plugin as a profile uses it. */
export interface PluginUse {
  readonly name: string;
  /** How much its scores count; 1 unless given. */
  readonly weight?: number;
  /** Where it takes part; at all points that it serves unless given. */
  readonly points?: readonly ExtensionPoint[];
  /** Settings, as the plugin defines them. */
  readonly args?: unknown;
}

/** What is special at one point. */
export interface PointPlugins {
  /** These take part as well. Those that are among the plugins of all points come first, with the weights that they have here. */
  readonly enabled?: readonly PluginUse[];
  /** These do not, though they are among the plugins of all points; `*` stands for all of them. */
  readonly disabled?: readonly string[];
}

/** A way of scheduling, for the pods that ask for it by name. */
export interface Profile {
  /** As in `spec.schedulerName`. */
  readonly schedulerName: string;
  /** In the order in which they are asked. */
  readonly plugins: readonly PluginUse[];
  /** What is enabled and disabled at single points, beside `plugins`; as in a KubeSchedulerConfiguration. */
  readonly points?: Readonly<Partial<Record<ExtensionPoint, PointPlugins>>>;
  /** Of the nodes of a large cluster, so many are compared; by the cluster's size unless given. */
  readonly percentageOfNodesToScore?: number;
}

const FIT = 'NodeResourcesFit';

/** The profile with NodeResourcesFit told which resources it leaves to extenders, in place of those that it is told to leave out. */
export function withIgnoredResources(profile: Profile, ignoredResources: readonly string[]): Profile {
  if (ignoredResources.length === 0) return profile;
  const told = (use: PluginUse): PluginUse =>
    use.name === FIT ? { ...use, args: { ...(use.args as object | undefined), ignoredResources } } : use;
  const points = Object.entries(profile.points ?? {}).map(([point, { enabled = [], ...others }]) => [
    point,
    { ...others, enabled: enabled.map(told) },
  ]);
  return { ...profile, plugins: profile.plugins.map(told), points: Object.fromEntries(points) };
}

/** What kube-scheduler 1.36 enables by default, as far as the plugins are there: the same order and weights. */
export const defaultProfile: Profile = {
  schedulerName: 'default-scheduler',
  plugins: [
    { name: 'SchedulingGates' },
    { name: 'PrioritySort' },
    { name: 'NodeUnschedulable' },
    { name: 'NodeName' },
    { name: 'TaintToleration', weight: 3 },
    { name: 'NodeAffinity', weight: 2 },
    { name: 'NodePorts' },
    { name: 'NodeResourcesFit', weight: 1 },
    { name: 'VolumeRestrictions' },
    { name: 'NodeVolumeLimits' },
    { name: 'VolumeBinding' },
    { name: 'VolumeZone' },
    { name: 'PodTopologySpread', weight: 2 },
    { name: 'InterPodAffinity', weight: 2 },
    { name: 'DynamicResources', weight: 2 },
    { name: 'DefaultPreemption' },
    { name: 'NodeResourcesBalancedAllocation', weight: 1 },
    { name: 'ImageLocality', weight: 1 },
    { name: 'DefaultBinder' },
    { name: 'NodeDeclaredFeatures' },
  ],
};

/** Where plugins take part, in the order in which a pod passes. */
export const extensionPoints = [
  'PreEnqueue',
  'QueueSort',
  'PreFilter',
  'Filter',
  'PostFilter',
  'PreScore',
  'Score',
  'NormalizeScore',
  'Reserve',
  'Permit',
  'PreBind',
  'Bind',
  'PostBind',
] as const;

export type ExtensionPoint = (typeof extensionPoints)[number];
