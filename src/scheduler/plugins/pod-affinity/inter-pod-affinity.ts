import { Namespace } from '../../../client/index.ts';
import type { AffinityTerm } from '../../cache/affinity-terms.ts';
import type { PlacedTerm } from '../../cache/placed-terms.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Snapshot } from '../../cache/snapshot.ts';
import type { CycleKey } from '../../framework/cycle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';
import { readAffinityArgs } from './affinity-args.ts';
import { AffinityState } from './affinity-filter.ts';
import { isAffinityChangedByNode, isAffinityChangedByPod } from './affinity-hints.ts';
import { queryFor, withSelectedNamespaces } from './affinity-queries.ts';
import { type Influence, scoreBy, stretch } from './affinity-score.ts';

const NAME = 'InterPodAffinity';
const stateKey: CycleKey<AffinityState> = { name: `PreFilter${NAME}` };
/** The terms of existing pods that match the pod. */
const aboutKey: CycleKey<readonly PlacedTerm[]> = { name: `${NAME} terms` };
const influencesKey: CycleKey<readonly Influence[]> = { name: `PreScore${NAME}` };

/**
 * Filter: required affinity and anti-affinity of the pod, and anti-affinity of existing pods against it. Score:
 * preferred terms, of both.
 */
export function interPodAffinity({ args, objects }: Pick<PluginContext, 'args' | 'objects'>): Plugin {
  const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = readAffinityArgs(args);
  const namespaces = objects(Namespace);
  const resolved = <T extends AffinityTerm>(term: T): T => ({ ...term, ...withSelectedNamespaces(term, namespaces) });
  const namespaceLabels = ({ pod }: PodInfo): Readonly<Record<string, string>> | undefined =>
    namespaces.get(pod.metadata.namespace ?? '')?.metadata.labels;

  /** The preferred terms of existing pods for the pod. */
  const influencesOfOthers = (terms: readonly PlacedTerm[]): Influence[] =>
    terms.flatMap(({ kind, term: { topologyKey }, weight, pods }) => {
      if (kind === 'requiredAnti' || (kind === 'required' && hardPodAffinityWeight === 0)) return [];
      return [
        {
          topologyKey,
          weight: kind === 'required' ? hardPodAffinityWeight : weight,
          podsIn: (value: string) => pods.get(value) ?? 0,
        },
      ];
    });

  const ownInfluences = (pod: PodInfo, { topology }: Snapshot): Influence[] =>
    pod.terms.preferred.map((term) => {
      const counts = topology.ask(queryFor(resolved(term)));
      return { topologyKey: term.topologyKey, weight: term.weight, podsIn: (value: string) => counts.in(value) };
    });

  return {
    name: NAME,
    events: [
      { resource: 'Pod', actions: ['Add', 'UpdatePodLabel', 'Delete'], isWorthRetry: isAffinityChangedByPod },
      { resource: 'Node', actions: ['Add', 'UpdateNodeLabel'], isWorthRetry: isAffinityChangedByNode },
    ],
    preFilter(cycle, snapshot) {
      const { pod } = cycle;
      const labels = namespaceLabels(pod);
      const about = snapshot.terms.about(pod.pod, labels);
      cycle.write(aboutKey, about);
      const placed = about.filter(({ kind }) => kind === 'requiredAnti');
      const required = pod.terms.required.map(resolved);
      const requiredAnti = pod.terms.requiredAnti.map(resolved);
      if (placed.length + required.length + requiredAnti.length === 0) return 'skip';
      const terms = { required, requiredAnti, placed, namespaceLabels: labels };
      cycle.write(stateKey, AffinityState.of(pod, terms, snapshot));
      return undefined;
    },
    addPod: (cycle, pod) => cycle.read(stateKey).change(pod, 1),
    removePod: (cycle, pod) => cycle.read(stateKey).change(pod, -1),
    filter: (cycle, node) => cycle.read(stateKey).filter(node),
    preScore(cycle, _nodes, snapshot) {
      const { pod } = cycle;
      if (ignorePreferredTermsOfExistingPods && pod.terms.preferred.length === 0) return 'skip';
      const about = cycle.has(aboutKey) ? cycle.read(aboutKey) : snapshot.terms.about(pod.pod, namespaceLabels(pod));
      const influences = [...ownInfluences(pod, snapshot), ...influencesOfOthers(about)];
      if (influences.length === 0) return 'skip';
      cycle.write(influencesKey, influences);
      return undefined;
    },
    score: (cycle, node) => scoreBy(cycle.read(influencesKey), node),
    normalizeScore: (_cycle, scores) => stretch(scores),
  };
}
