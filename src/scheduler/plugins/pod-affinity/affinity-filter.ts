import type { AffinityTerm } from '../../cache/affinity-terms.ts';
import { matchesPod } from '../../cache/affinity-terms.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PlacedTerm } from '../../cache/placed-terms.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Snapshot } from '../../cache/snapshot.ts';
import type { TopologyCounts } from '../../cache/topology-counts.ts';
import { type Rejection, unresolvable, unschedulable } from '../../framework/rejection.ts';
import { allTermsMatch, termMatches, queriesForAll, queryFor } from './affinity-queries.ts';

const PLUGIN = 'InterPodAffinity';
const AFFINITY_NOT_SATISFIED = unresolvable(PLUGIN, "node(s) didn't match pod affinity rules");
const ANTI_AFFINITY_VIOLATED = unschedulable(PLUGIN, "node(s) didn't match pod anti-affinity rules");
const EXISTING_ANTI_AFFINITY_VIOLATED = unschedulable(
  PLUGIN,
  "node(s) didn't satisfy existing pods anti-affinity rules",
);

type Labels = Readonly<Record<string, string>> | undefined;

/** The required terms that apply to a pod. */
export interface TermsInForce {
  /** The pod's own terms, with their namespaces resolved. */
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  /** Anti-affinity terms of existing pods that match the pod. */
  readonly placed: readonly PlacedTerm[];
  /** The labels of the pod's namespace. */
  readonly namespaceLabels: Labels;
}

/**
 * The state of Filter: where the pods are that match the pod's terms, and where anti-affinity of existing pods applies.
 *
 * A copy is for a trial on one node and adds the pods that the trial puts there or removes.
 */
export class AffinityState {
  readonly #pod: PodInfo;
  readonly #terms: TermsInForce;
  readonly #affinity: readonly TopologyCounts[];
  readonly #antiAffinity: readonly TopologyCounts[];
  /** Whether the pod matches its own affinity terms, so that it may be the first of its group. */
  readonly #matchesItself: boolean;
  #trialAffinity = 0;
  /** By index of the pod's anti-affinity terms. */
  #trialAntiAffinity: number[];
  /** By topology key: anti-affinity terms of existing pods. */
  #trialExistingAntiAffinity = new Map<string, number>();

  private constructor(
    pod: PodInfo,
    terms: TermsInForce,
    counts: { readonly affinity: readonly TopologyCounts[]; readonly antiAffinity: readonly TopologyCounts[] },
  ) {
    this.#pod = pod;
    this.#terms = terms;
    this.#affinity = counts.affinity;
    this.#antiAffinity = counts.antiAffinity;
    this.#trialAntiAffinity = counts.antiAffinity.map(() => 0);
    this.#matchesItself = allTermsMatch(terms.required, pod.pod);
  }

  static of(pod: PodInfo, terms: TermsInForce, { topology }: Snapshot): AffinityState {
    return new AffinityState(pod, terms, {
      affinity: queriesForAll(terms.required).map((query) => topology.ask(query)),
      antiAffinity: terms.requiredAnti.map((term) => topology.ask(queryFor(term))),
    });
  }

  clone(): AffinityState {
    const copy = new AffinityState(this.#pod, this.#terms, {
      affinity: this.#affinity,
      antiAffinity: this.#antiAffinity,
    });
    copy.#trialAffinity = this.#trialAffinity;
    copy.#trialAntiAffinity = [...this.#trialAntiAffinity];
    copy.#trialExistingAntiAffinity = new Map(this.#trialExistingAntiAffinity);
    return copy;
  }

  /** Counts a pod that the trial adds to or removes from its node. */
  change(other: PodInfo, sign: 1 | -1): void {
    const { required, requiredAnti, namespaceLabels } = this.#terms;
    if (allTermsMatch(required, other.pod)) this.#trialAffinity += sign;
    for (const [index, term] of requiredAnti.entries())
      if (termMatches(term, other.pod)) this.#trialAntiAffinity[index]! += sign;
    for (const term of other.terms.requiredAnti) {
      if (!matchesPod(term, this.#pod.pod, namespaceLabels)) continue;
      this.#trialExistingAntiAffinity.set(
        term.topologyKey,
        (this.#trialExistingAntiAffinity.get(term.topologyKey) ?? 0) + sign,
      );
    }
  }

  filter({ node }: NodeInfo): Rejection | undefined {
    const labels = node?.metadata.labels;
    if (!this.#satisfiesAffinity(labels)) return AFFINITY_NOT_SATISFIED;
    if (this.#violatesAntiAffinity(labels)) return ANTI_AFFINITY_VIOLATED;
    return this.#violatesExistingAntiAffinity(labels) ? EXISTING_ANTI_AFFINITY_VIOLATED : undefined;
  }

  /** Whether the affinity terms hold; the first pod of a group that matches itself needs no other pod. */
  #satisfiesAffinity(labels: Labels): boolean {
    let isSatisfied = true;
    for (const counts of this.#affinity) {
      const value = labels?.[counts.query.topologyKey];
      if (value === undefined) return false;
      if (counts.in(value) + this.#trialAffinity <= 0) isSatisfied = false;
    }
    return isSatisfied || (this.#matchesItself && !this.#isAffinityMatchedAnywhere(labels));
  }

  #isAffinityMatchedAnywhere(labels: Labels): boolean {
    return this.#affinity.some(({ total, query }) => {
      const more = labels?.[query.topologyKey] === undefined ? 0 : this.#trialAffinity;
      return total + more !== 0;
    });
  }

  #violatesAntiAffinity(labels: Labels): boolean {
    for (let index = 0; index < this.#antiAffinity.length; index++) {
      const counts = this.#antiAffinity[index] as TopologyCounts;
      const value = labels?.[counts.query.topologyKey];
      if (value !== undefined && counts.in(value) + this.#trialAntiAffinity[index]! > 0) return true;
    }
    return false;
  }

  /** Whether anti-affinity of existing pods in the node's domain excludes the pod. */
  #violatesExistingAntiAffinity(labels: Labels): boolean {
    if (labels === undefined) return false;
    const { placed } = this.#terms;
    if (this.#trialExistingAntiAffinity.size > 0) return this.#violatesExistingInTrial(labels);
    for (let index = 0; index < placed.length; index++) {
      const { term, pods } = placed[index] as PlacedTerm;
      const value = labels[term.topologyKey];
      if (value !== undefined && pods.has(value)) return true;
    }
    return false;
  }

  #violatesExistingInTrial(labels: Readonly<Record<string, string>>): boolean {
    const counts = new Map(this.#trialExistingAntiAffinity);
    for (const { term, pods } of this.#terms.placed) {
      const value = labels[term.topologyKey] ?? '';
      counts.set(term.topologyKey, (counts.get(term.topologyKey) ?? 0) + (pods.get(value) ?? 0));
    }
    for (const [key, count] of counts) if (labels[key] !== undefined && count > 0) return true;
    return false;
  }
}
