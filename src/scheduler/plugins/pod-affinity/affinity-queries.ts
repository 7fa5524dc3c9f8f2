import type { Namespace, Observed, Pod } from '../../../client/index.ts';
import { type AffinityTerm, matchesPod } from '../../cache/affinity-terms.ts';
import type { TopologyQuery } from '../../cache/topology-counts.ts';
import type { Lister } from '../../framework/plugin-context.ts';

/** The term with its namespace selector resolved to the namespaces that it selects now. */
export function withSelectedNamespaces(term: AffinityTerm, namespaces: Lister<Namespace>): AffinityTerm {
  const { namespaceSelector } = term;
  if (namespaceSelector.matchesNothing || namespaceSelector.isEmpty) return term;
  const selected = namespaces
    .list()
    .filter(({ metadata }) => namespaceSelector.matches(metadata.labels))
    .map(({ metadata }) => metadata.name);
  const together = new Set([...term.namespaces, ...selected]);
  return { ...term, namespaces: together, key: `${term.key}\n${[...together].sort().join()}` };
}

/**
 * Whether the term matches the pod. The term's namespaces are resolved, so the labels of the pod's namespace are not
 * needed.
 */
export function termMatches(term: AffinityTerm, pod: Observed<Pod>): boolean {
  return matchesPod(term, pod, undefined);
}

/** Whether all terms match the pod; false without terms. */
export function allTermsMatch(terms: readonly AffinityTerm[], pod: Observed<Pod>): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, pod));
}

/** Counts the pods that match the term. */
export function queryFor(term: AffinityTerm): TopologyQuery {
  return {
    key: `term\n${term.key}`,
    topologyKey: term.topologyKey,
    matches: ({ pod }) => termMatches(term, pod),
  };
}

/** For each term, counts the pods that match all terms. */
export function queriesForAll(terms: readonly AffinityTerm[]): readonly TopologyQuery[] {
  const [only] = terms;
  if (only !== undefined && terms.length === 1) return [queryFor(only)];
  const together = terms.map(({ key }) => key).join('\n\n');
  return terms.map(({ topologyKey }) => ({
    key: `terms\n${topologyKey}\n${together}`,
    topologyKey,
    matches: ({ pod }) => allTermsMatch(terms, pod),
  }));
}
