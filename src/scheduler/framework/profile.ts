/** A plugin in a profile. */
export interface PluginUse {
  readonly name: string;
  /** The weight of its scores; default 1. */
  readonly weight?: number;
  /** The extension points where it takes part; default: all that it implements. */
  readonly points?: readonly ExtensionPoint[];
  /** The plugin's arguments. */
  readonly args?: unknown;
}

/** The plugins that a profile enables or disables at one extension point. */
export interface PointPlugins {
  /** Additional plugins. Those that are also enabled at all points come first, with the weight given here. */
  readonly enabled?: readonly PluginUse[];
  /** Plugins to leave out at this point; `*` stands for all. */
  readonly disabled?: readonly string[];
}

/** A scheduling profile; pods choose it by `spec.schedulerName`. */
export interface Profile {
  /** Matches `spec.schedulerName`. */
  readonly schedulerName: string;
  /** In the order in which they are called. */
  readonly plugins: readonly PluginUse[];
  /** Plugins enabled and disabled at single points, beside `plugins`; as in a KubeSchedulerConfiguration. */
  readonly points?: Readonly<Partial<Record<ExtensionPoint, PointPlugins>>>;
  /** The share of nodes to find feasible before scoring starts; default: depends on the cluster's size. */
  readonly percentageOfNodesToScore?: number;
}

const FIT = 'NodeResourcesFit';

/** The profile with NodeResourcesFit ignoring the resources that extenders manage, in place of its configured ones. */
export function withIgnoredResources(profile: Profile, ignoredResources: readonly string[]): Profile {
  if (ignoredResources.length === 0) return profile;
  const withArgs = (use: PluginUse): PluginUse =>
    use.name === FIT ? { ...use, args: { ...(use.args as object | undefined), ignoredResources } } : use;
  const points = Object.entries(profile.points ?? {}).map(([point, { enabled = [], ...others }]) => [
    point,
    { ...others, enabled: enabled.map(withArgs) },
  ]);
  return { ...profile, plugins: profile.plugins.map(withArgs), points: Object.fromEntries(points) };
}

/**
 * The default plugins of kube-scheduler 1.36 that are implemented here, in the same order and with the same weights.
 */
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

/** The extension points in the order in which a pod passes them. */
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

/** The points of a scheduling cycle at which plugins run. */
export type ExtensionPoint = (typeof extensionPoints)[number];
