import type { Pod } from '../../client/index.ts';
import type { Change } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';

const NAME = 'SchedulingGates';

/** PreEnqueue: a pod stays out of the active queue while it has scheduling gates (KEP-3521). */
export function schedulingGates(): Plugin {
  return {
    name: NAME,
    events: [
      {
        resource: 'Pod',
        actions: ['UpdatePodSchedulingGatesEliminated'],
        isWorthRetry: (pod, { now }: Change<Pod>) => now?.metadata.uid === pod.uid,
      },
    ],
    preEnqueue({ pod }) {
      const gates = pod.spec?.schedulingGates ?? [];
      if (gates.length === 0) return undefined;
      return unresolvable(NAME, `waiting for scheduling gates: [${gates.map(({ name }) => name).join(' ')}]`);
    },
  };
}
