import type { Namespace, Observed, Pod } from '../../../client/index.ts';
import { type AffinityTerm, isAbout } from '../../cache/affinity-terms.ts';
import type { TopologyQuery } from '../../cache/topology-counts.ts';
import type { Lister } from '../../framework/plugin-context.ts';

/** The term with the namespaces that its selector selects now among those that it names. */
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

/** Whether the term of a new pod is about the pod. Its namespaces are resolved, so the other's need not be looked up. */
export function isTermAbout(term: AffinityTerm, pod: Observed<Pod>): boolean {
  return isAbout(term, pod, undefined);
}

/** Whether all terms are about the pod; false without any. */
export function areAllAbout(terms: readonly AffinityTerm[], pod: Observed<Pod>): boolean {
  return terms.length > 0 && terms.every((term) => isTermAbout(term, pod));
}

/** Asks where the pods are that a term is about. */
export function queryFor(term: AffinityTerm): TopologyQuery {
  return {
    key: `term\n${term.key}`,
    topologyKey: term.topologyKey,
    matches: ({ pod }) => isTermAbout(term, pod),
  };
}

/** Asks for each term where the pods are that all terms are about. */
export function queriesForAll(terms: readonly AffinityTerm[]): readonly TopologyQuery[] {
  const [only] = terms;
  if (only !== undefined && terms.length === 1) return [queryFor(only)];
  const together = terms.map(({ key }) => key).join('\n\n');
  return terms.map(({ topologyKey }) => ({
    key: `terms\n${topologyKey}\n${together}`,
    topologyKey,
    matches: ({ pod }) => areAllAbout(terms, pod),
  }));
}
