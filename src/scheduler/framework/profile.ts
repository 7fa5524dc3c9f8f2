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

/** A way of scheduling, for the pods that ask for it by name. */
export interface Profile {
  /** As in `spec.schedulerName`. */
  readonly schedulerName: string;
  /** In the order in which they are asked. */
  readonly plugins: readonly PluginUse[];
  /** Of the nodes of a large cluster, so many are compared; by the cluster's size unless given. */
  readonly percentageOfNodesToScore?: number;
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
    { name: 'DynamicResources' },
    { name: 'DefaultPreemption' },
    { name: 'NodeResourcesBalancedAllocation', weight: 1 },
    { name: 'DefaultBinder' },
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
