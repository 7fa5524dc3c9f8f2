import { dynamicResourcesArgsErrors } from '../plugins/dynamic-resources-args.ts';
import { balancedAllocationArgsErrors } from '../plugins/fit-args.ts';
import { nodeAffinityArgsErrors } from '../plugins/node-affinity-args.ts';
import type { SettingProblem } from '../plugins/plugin-arguments.ts';
import { affinityArgsErrors } from '../plugins/pod-affinity/affinity-args.ts';
import { preemptionArgsErrors } from '../plugins/preemption/preemption-args.ts';
import { spreadArgsErrors } from '../plugins/topology-spread/spread-args.ts';
import { volumeBindingArgsErrors } from '../plugins/volumes/volume-binding-args.ts';
import type { BuiltInArguments } from './configuration.ts';
import { isWithArguments } from './configuration-kinds.ts';

type Checks = {
  readonly [Name in keyof BuiltInArguments]: (args: BuiltInArguments[Name], path: string) => readonly SettingProblem[];
};

const checks: Checks = {
  DefaultPreemption: preemptionArgsErrors,
  DynamicResources: dynamicResourcesArgsErrors,
  InterPodAffinity: affinityArgsErrors,
  NodeAffinity: nodeAffinityArgsErrors,
  NodeResourcesBalancedAllocation: balancedAllocationArgsErrors,
  NodeResourcesFit: () => [], // kube-scheduler validates these only when it creates the plugin
  PodTopologySpread: spreadArgsErrors,
  VolumeBinding: volumeBindingArgsErrors,
};

/** Validates the arguments of a plugin; plugins that are not built in validate their own. */
export function checkArguments(name: string, args: unknown, path: string): readonly SettingProblem[] {
  return isWithArguments(name) ? checkBuiltIn(name, args, path) : [];
}

function checkBuiltIn<Name extends keyof BuiltInArguments>(
  name: Name,
  args: unknown,
  path: string,
): readonly SettingProblem[] {
  return checks[name](args as BuiltInArguments[Name], path); // the decoder checked the type
}
