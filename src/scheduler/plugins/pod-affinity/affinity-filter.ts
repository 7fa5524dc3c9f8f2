import type { AffinityTerm } from '../../cache/affinity-terms.ts';
import { isAbout } from '../../cache/affinity-terms.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PlacedTerm } from '../../cache/placed-terms.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Snapshot } from '../../cache/snapshot.ts';
import type { TopologyCounts } from '../../cache/topology-counts.ts';
import { type Rejection, unresolvable, unschedulable } from '../../framework/rejection.ts';
import { areAllAbout, isTermAbout, queriesForAll, queryFor } from './affinity-queries.ts';

const PLUGIN = 'InterPodAffinity';
const NO_FRIENDS = unresolvable(PLUGIN, "node(s) didn't match pod affinity rules");
const OWN_ENEMIES = unschedulable(PLUGIN, "node(s) didn't match pod anti-affinity rules");
const ENEMIES_THERE = unschedulable(PLUGIN, "node(s) didn't satisfy existing pods anti-affinity rules");

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
  readonly #friends: readonly TopologyCounts[];
  readonly #enemies: readonly TopologyCounts[];
  /** Whether the pod matches its own affinity terms, so that it may be the first of its group. */
  readonly #isOwnFriend: boolean;
  #moreFriends = 0;
  /** By index of the pod's anti-affinity terms. */
  #moreEnemies: number[];
  /** By topology key: anti-affinity terms of existing pods. */
  #moreTerms = new Map<string, number>();

  private constructor(
    pod: PodInfo,
    terms: TermsInForce,
    counts: { readonly friends: readonly TopologyCounts[]; readonly enemies: readonly TopologyCounts[] },
  ) {
    this.#pod = pod;
    this.#terms = terms;
    this.#friends = counts.friends;
    this.#enemies = counts.enemies;
    this.#moreEnemies = counts.enemies.map(() => 0);
    this.#isOwnFriend = areAllAbout(terms.required, pod.pod);
  }

  static of(pod: PodInfo, terms: TermsInForce, { topology }: Snapshot): AffinityState {
    return new AffinityState(pod, terms, {
      friends: queriesForAll(terms.required).map((query) => topology.ask(query)),
      enemies: terms.requiredAnti.map((term) => topology.ask(queryFor(term))),
    });
  }

  clone(): AffinityState {
    const copy = new AffinityState(this.#pod, this.#terms, { friends: this.#friends, enemies: this.#enemies });
    copy.#moreFriends = this.#moreFriends;
    copy.#moreEnemies = [...this.#moreEnemies];
    copy.#moreTerms = new Map(this.#moreTerms);
    return copy;
  }

  /** Counts a pod that the trial adds to or removes from its node. */
  change(other: PodInfo, sign: 1 | -1): void {
    const { required, requiredAnti, namespaceLabels } = this.#terms;
    if (areAllAbout(required, other.pod)) this.#moreFriends += sign;
    for (const [index, term] of requiredAnti.entries())
      if (isTermAbout(term, other.pod)) this.#moreEnemies[index]! += sign;
    for (const term of other.terms.requiredAnti) {
      if (!isAbout(term, this.#pod.pod, namespaceLabels)) continue;
      this.#moreTerms.set(term.topologyKey, (this.#moreTerms.get(term.topologyKey) ?? 0) + sign);
    }
  }

  filter({ node }: NodeInfo): Rejection | undefined {
    const labels = node?.metadata.labels;
    if (!this.#hasFriends(labels)) return NO_FRIENDS;
    if (this.#hasEnemies(labels)) return OWN_ENEMIES;
    return this.#isEnemy(labels) ? ENEMIES_THERE : undefined;
  }

  /** Whether the affinity terms hold; the first pod of a group that matches itself needs no other pod. */
  #hasFriends(labels: Labels): boolean {
    let areNear = true;
    for (const counts of this.#friends) {
      const value = labels?.[counts.query.topologyKey];
      if (value === undefined) return false;
      if (counts.in(value) + this.#moreFriends <= 0) areNear = false;
    }
    return areNear || (this.#isOwnFriend && !this.#areFriendsAnywhere(labels));
  }

  #areFriendsAnywhere(labels: Labels): boolean {
    return this.#friends.some(({ total, query }) => {
      const more = labels?.[query.topologyKey] === undefined ? 0 : this.#moreFriends;
      return total + more !== 0;
    });
  }

  #hasEnemies(labels: Labels): boolean {
    for (let index = 0; index < this.#enemies.length; index++) {
      const counts = this.#enemies[index] as TopologyCounts;
      const value = labels?.[counts.query.topologyKey];
      if (value !== undefined && counts.in(value) + this.#moreEnemies[index]! > 0) return true;
    }
    return false;
  }

  /** Whether anti-affinity of existing pods in the node's domain excludes the pod. */
  #isEnemy(labels: Labels): boolean {
    if (labels === undefined) return false;
    const { placed } = this.#terms;
    if (this.#moreTerms.size > 0) return this.#isEnemyInTrial(labels);
    for (let index = 0; index < placed.length; index++) {
      const { term, pods } = placed[index] as PlacedTerm;
      const value = labels[term.topologyKey];
      if (value !== undefined && pods.has(value)) return true;
    }
    return false;
  }

  #isEnemyInTrial(labels: Readonly<Record<string, string>>): boolean {
    const counts = new Map(this.#moreTerms);
    for (const { term, pods } of this.#terms.placed) {
      const value = labels[term.topologyKey] ?? '';
      counts.set(term.topologyKey, (counts.get(term.topologyKey) ?? 0) + (pods.get(value) ?? 0));
    }
    for (const [key, count] of counts) if (labels[key] !== undefined && count > 0) return true;
    return false;
  }
}
