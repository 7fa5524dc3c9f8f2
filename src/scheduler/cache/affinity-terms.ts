import {
  type LabelMatcher,
  type LabelSelectorObject,
  matchLabelSelector,
  matchNothing,
  ValueError,
} from '../../api/values/index.ts';
import type { PodAffinityTerm } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** A compiled pod affinity or anti-affinity term. */
export interface AffinityTerm {
  /** Equal for equal terms. */
  readonly key: string;
  readonly topologyKey: string;
  /** The namespaces that the term names; the pod's own namespace when it neither names nor selects any. */
  readonly namespaces: ReadonlySet<string>;
  /** Selects further namespaces. */
  readonly namespaceSelector: LabelMatcher;
  readonly selector: LabelMatcher;
}

export interface WeightedTerm extends AffinityTerm {
  /** Negative for anti-affinity. */
  readonly weight: number;
}

/** All terms of a pod. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedTerm[];
}

/** The terms of a pod without affinity. */
export const NO_TERMS: AffinityTerms = { required: [], requiredAnti: [], preferred: [] };

/** Whether the term applies to the pod, given the labels of the pod's namespace. */
export function matchesPod(term: AffinityTerm, pod: Observed<Pod>, namespaceLabels: Labels): boolean {
  const { namespace = '', labels } = pod.metadata;
  if (!term.namespaces.has(namespace) && !term.namespaceSelector.matches(namespaceLabels)) return false;
  return term.selector.matches(labels);
}

export function affinityTermsOf(pod: Observed<Pod>): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return NO_TERMS;
  const term = (one: DeepReadonly<PodAffinityTerm>): AffinityTerm => compile(one, pod.metadata.namespace ?? '');
  const preferred = (affinity: typeof podAffinity, sign: 1 | -1): WeightedTerm[] =>
    (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      ...term(podAffinityTerm),
      weight: sign * weight,
    }));
  return {
    required: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term),
    requiredAnti: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term),
    preferred: [...preferred(podAffinity, 1), ...preferred(podAntiAffinity, -1)],
  };
}

function compile(term: DeepReadonly<PodAffinityTerm>, ownNamespace: string): AffinityTerm {
  const { topologyKey, namespaces = [], namespaceSelector, labelSelector } = term;
  const isOwnOnly = namespaces.length === 0 && namespaceSelector === undefined;
  const named = isOwnOnly ? [ownNamespace] : [...namespaces].sort();
  const selector = matcherOf(labelSelector);
  const inNamespaces = matcherOf(namespaceSelector);
  const key = [topologyKey, named.join(), textOf(inNamespaces), textOf(selector)].join('\n');
  return { key, topologyKey, namespaces: new Set(named), namespaceSelector: inNamespaces, selector };
}

/** The API server rejects selectors that do not parse, so parsing cannot fail here. */
function matcherOf(selector: LabelSelectorObject | undefined): LabelMatcher {
  const matcher = matchLabelSelector(selector);
  return matcher instanceof ValueError ? matchNothing() : matcher;
}

/** The selector as text. An absent selector (selects nothing) differs from an empty one (selects everything). */
export function textOf(matcher: LabelMatcher): string {
  return matcher.matchesNothing ? '!' : `=${matcher.toString()}`;
}
