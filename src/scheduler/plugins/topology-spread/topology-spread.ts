import type { Observed, Pod } from '../../../client/index.ts';
import type { CycleKey } from '../../framework/cycle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';
import { defaultSelectors } from './default-selector.ts';
import { readSpreadArgs } from './spread-args.ts';
import { constraintsOf, type SpreadAction, type SpreadConstraint } from './spread-constraints.ts';
import { SpreadState } from './spread-filter.ts';
import { isSpreadChangedByNode, isSpreadChangedByPod } from './spread-hints.ts';
import { normalizeCosts, SpreadScores } from './spread-score.ts';

const NAME = 'PodTopologySpread';
const stateKey: CycleKey<SpreadState> = { name: `PreFilter${NAME}` };
const scoresKey: CycleKey<SpreadScores> = { name: `PreScore${NAME}` };

/**
 * Filter: hard `topologySpreadConstraints`. Score: soft ones, and the built-in constraints for pods that have none and
 * belong to a Service, a ReplicationController, a ReplicaSet or a StatefulSet.
 */
export function podTopologySpread({ args, objects }: Pick<PluginContext, 'args' | 'objects'>): Plugin {
  const defaults = readSpreadArgs(args);
  const selectorFor = defaultSelectors({ objects });
  const constraintsFor = (pod: Observed<Pod>, action: SpreadAction): readonly SpreadConstraint[] =>
    constraintsOf(pod, action, { defaults, selectorFor });
  const required = (pod: Observed<Pod>): readonly SpreadConstraint[] => constraintsFor(pod, 'DoNotSchedule');
  return {
    name: NAME,
    events: [
      {
        resource: 'Pod',
        actions: ['Add', 'UpdatePodLabel', 'UpdatePodToleration', 'Delete'],
        isWorthRetry: (pod, change) => isSpreadChangedByPod(pod, change, required),
      },
      {
        resource: 'Node',
        actions: ['Add', 'Delete', 'UpdateNodeLabel', 'UpdateNodeTaint'],
        isWorthRetry: ({ pod }, change) => isSpreadChangedByNode(change, required(pod)),
      },
    ],
    preFilter(cycle, snapshot) {
      const constraints = required(cycle.pod.pod);
      if (constraints.length === 0) return 'skip';
      cycle.write(stateKey, SpreadState.of(cycle.pod, constraints, snapshot));
      return undefined;
    },
    addPod: (cycle, pod, node) => cycle.read(stateKey).change(pod, node, 1),
    removePod: (cycle, pod, node) => cycle.read(stateKey).change(pod, node, -1),
    filter: (cycle, node) => cycle.read(stateKey).filter(node),
    preScore(cycle, nodes, snapshot) {
      const { pod } = cycle.pod;
      const constraints = constraintsFor(pod, 'ScheduleAnyway');
      if (constraints.length === 0) return 'skip';
      const needsAllKeys = (pod.spec?.topologySpreadConstraints ?? []).length > 0 || !defaults.isSystem;
      cycle.write(scoresKey, SpreadScores.of(cycle.pod, constraints, { nodes, snapshot, needsAllKeys }));
      return undefined;
    },
    score: (cycle, node) => cycle.read(scoresKey).score(node),
    normalizeScore: (_cycle, scores) => normalizeCosts(scores),
  };
}
