import { type ConfiguredPlugin, type ConfiguredPlugins, type PluginPoint, pluginPoints } from './configuration.ts';

/**
 * The plugins that kube-scheduler 1.36 enables by default at all points, in its order and with its weights; 0 for none.
 */
const MULTI_POINT: readonly (readonly [name: string, weight: number])[] = [
  ['SchedulingGates', 0],
  ['PrioritySort', 0],
  ['NodeUnschedulable', 0],
  ['NodeName', 0],
  ['TaintToleration', 3],
  ['NodeAffinity', 2],
  ['NodePorts', 0],
  ['NodeResourcesFit', 1],
  ['VolumeRestrictions', 0],
  ['NodeVolumeLimits', 0],
  ['VolumeBinding', 0],
  ['VolumeZone', 0],
  ['PodTopologySpread', 2],
  ['InterPodAffinity', 2],
  ['DynamicResources', 2],
  ['DefaultPreemption', 0],
  ['NodeResourcesBalancedAllocation', 1],
  ['ImageLocality', 1],
  ['DefaultBinder', 0],
  ['NodeDeclaredFeatures', 0],
];

const defaultPlugins: ConfiguredPlugins = {
  enabled: MULTI_POINT.map(([name, weight]) => ({ name, weight })),
  disabled: [],
};
const none: ConfiguredPlugins = { enabled: [], disabled: [] };

export const defaultPluginNames: ReadonlySet<string> = new Set(MULTI_POINT.map(([name]) => name));

/** The plugins that a file lists for one extension point. */
export interface WrittenPlugins {
  readonly enabled?: readonly Partial<ConfiguredPlugin>[];
  readonly disabled?: readonly Partial<ConfiguredPlugin>[];
}

/** Merges a profile's plugins into the defaults. */
export function mergePlugins(
  written: Readonly<Partial<Record<PluginPoint, WrittenPlugins>>> = {},
): Readonly<Record<PluginPoint, ConfiguredPlugins>> {
  const merged = pluginPoints.map((point) => [
    point,
    mergeSet(point === 'multiPoint' ? defaultPlugins : none, written[point]),
  ]);
  return Object.fromEntries(merged) as Record<PluginPoint, ConfiguredPlugins>;
}

/**
 * A default plugin that is enabled again keeps its position and gets the new weight; other plugins follow the defaults.
 */
function mergeSet(defaults: ConfiguredPlugins, written: WrittenPlugins = {}): ConfiguredPlugins {
  const enabled = (written.enabled ?? []).map(whole);
  const disabled = (written.disabled ?? []).map(({ name = '' }) => ({ name, weight: 0 }));
  const isDisabled = new Set(disabled.map(({ name }) => name));
  const lastOf = new Map(enabled.map((plugin) => [plugin.name, plugin]));
  const kept = isDisabled.has('*') ? [] : defaults.enabled.filter(({ name }) => !isDisabled.has(name));
  const replaced = new Set(kept.flatMap(({ name }) => lastOf.get(name) ?? []));
  return {
    enabled: [
      ...kept.map((plugin) => lastOf.get(plugin.name) ?? plugin),
      ...enabled.filter((plugin) => !replaced.has(plugin)),
    ],
    disabled,
  };
}

function whole({ name = '', weight = 0 }: Partial<ConfiguredPlugin>): ConfiguredPlugin {
  return { name, weight };
}
