import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { Diagnosis } from '../framework/diagnosis.ts';
import { fitMessage } from '../framework/fit-error.ts';
import type { Plugin, PostFilterContext } from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/rejection.ts';

const NAME = 'DefaultPreemption';
const NOT_HELPFUL = unresolvable(NAME, 'Preemption is not helpful for scheduling');
const NO_VICTIMS = unresolvable(NAME, 'No preemption victims found for incoming pod');
const NEVER = unschedulable(NAME, 'preemption: not eligible due to preemptionPolicy=Never.');

/** PostFilter: says why deleting pods of lower priority would not make room. Where it would, it says nothing, and deletes none. */
export function defaultPreemption(): Plugin {
  return {
    name: NAME,
    postFilter({ pod }, context) {
      if (pod.pod.spec?.preemptionPolicy === 'Never') return NEVER;
      const { nodes } = context.snapshot;
      const diagnosis = new Diagnosis();
      for (const node of nodes) {
        if (context.diagnosis.get(node.name)?.code !== 'Unschedulable') continue;
        const rejection = withoutLowerPriority(pod, node, context);
        if (rejection === undefined) return 'done';
        diagnosis.reject(node.name, rejection);
      }
      diagnosis.rejectOthers(NOT_HELPFUL);
      const rejection = unschedulable(NAME, `preemption: ${fitMessage(nodes.length, diagnosis)}`);
      return { ...rejection, nominatedNodeName: '' };
    },
  };
}

/** What would still be in the way on the node if all pods of lower priority were gone. */
function withoutLowerPriority(pod: PodInfo, node: NodeInfo, context: PostFilterContext): Rejection | undefined {
  const victims = node.pods.filter(({ priority }) => priority < pod.priority);
  if (victims.length === 0) return NO_VICTIMS;
  const trial = context.trial(node);
  for (const victim of victims) trial.remove(victim);
  return trial.filter();
}
