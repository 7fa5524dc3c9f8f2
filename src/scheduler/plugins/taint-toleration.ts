import { hasUntolerated, isTolerated, type Tolerations } from '../../api/meaning/index.ts';
import type { Node, Pod } from '../../client/index.ts';
import type { Change } from '../framework/cluster-event.ts';
import type { CycleKey } from '../framework/cycle.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';
import { normalizeReversed } from './normalize-scores.ts';

const NAME = 'TaintToleration';
const UNTOLERATED = unresolvable(NAME, 'node(s) had untolerated taint(s)');
const preferences: CycleKey<Tolerations> = { name: `PreScore${NAME}` };

/**
 * Filter: rejects nodes with taints that the pod does not tolerate. Score: the fewer untolerated PreferNoSchedule
 * taints the better.
 */
export function taintToleration(): Plugin {
  return {
    name: NAME,
    events: [
      {
        resource: 'Node',
        actions: ['Add', 'UpdateNodeTaint'],
        isWorthRetry: ({ pod }, { old, now }: Change<Node>) => {
          const tolerations = pod.spec?.tolerations;
          const wasClosed = old === undefined || hasUntolerated(old.spec?.taints, tolerations);
          return wasClosed && !hasUntolerated(now?.spec?.taints, tolerations);
        },
      },
      {
        resource: 'Pod',
        actions: ['UpdatePodToleration'],
        isWorthRetry: (pod, { now }: Change<Pod>) => now?.metadata.uid === pod.uid,
      },
    ],
    filter({ pod }, { node }) {
      return hasUntolerated(node?.spec?.taints, pod.pod.spec?.tolerations) ? UNTOLERATED : undefined;
    },
    preScore(cycle) {
      const isAboutPreferring = ({ effect }: Tolerations[number]): boolean =>
        effect === undefined || effect === 'PreferNoSchedule';
      cycle.write(preferences, cycle.pod.pod.spec?.tolerations?.filter(isAboutPreferring) ?? []);
      return undefined;
    },
    score(cycle, { node }) {
      const taints = node?.spec?.taints;
      if (taints === undefined) return 0;
      const tolerations = cycle.read(preferences);
      let count = 0;
      for (const taint of taints) {
        if (taint.effect === 'PreferNoSchedule' && !isTolerated(taint, tolerations)) count += 1;
      }
      return count;
    },
    normalizeScore: (_cycle, scores) => normalizeReversed(scores),
  };
}
