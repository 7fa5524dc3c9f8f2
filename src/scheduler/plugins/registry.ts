import type { PluginFactory } from '../framework/plugin-context.ts';
import { balancedAllocation } from './balanced-allocation.ts';
import { defaultBinder } from './default-binder.ts';
import { dynamicResources } from './dynamic-resources.ts';
import { imageLocality } from './image-locality.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeDeclaredFeatures } from './node-declared-features.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeResourcesFit } from './node-resources-fit.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { interPodAffinity } from './pod-affinity/inter-pod-affinity.ts';
import { defaultPreemption } from './preemption/default-preemption.ts';
import { prioritySort } from './priority-sort.ts';
import { schedulingGates } from './scheduling-gates.ts';
import { taintToleration } from './taint-toleration.ts';
import { podTopologySpread } from './topology-spread/topology-spread.ts';
import { nodeVolumeLimits, volumeBinding, volumeRestrictions, volumeZone } from './volumes/index.ts';

/** The built-in plugins by name. */
export const builtInPlugins: ReadonlyMap<string, PluginFactory> = new Map<string, PluginFactory>([
  ['SchedulingGates', schedulingGates],
  ['PrioritySort', prioritySort],
  ['NodeUnschedulable', nodeUnschedulable],
  ['NodeName', nodeName],
  ['TaintToleration', taintToleration],
  ['NodeAffinity', nodeAffinity],
  ['NodePorts', nodePorts],
  ['NodeResourcesFit', nodeResourcesFit],
  ['VolumeRestrictions', volumeRestrictions],
  ['NodeVolumeLimits', nodeVolumeLimits],
  ['VolumeBinding', volumeBinding],
  ['VolumeZone', volumeZone],
  ['PodTopologySpread', podTopologySpread],
  ['InterPodAffinity', interPodAffinity],
  ['DynamicResources', dynamicResources],
  ['DefaultPreemption', defaultPreemption],
  ['NodeResourcesBalancedAllocation', balancedAllocation],
  ['ImageLocality', imageLocality],
  ['DefaultBinder', defaultBinder],
  ['NodeDeclaredFeatures', nodeDeclaredFeatures],
]);
