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

/** The required terms that have a say about a pod. */
export interface TermsInForce {
  /** The pod's own, with their namespaces resolved. */
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  /** Those of pods on nodes that keep the pod off. */
  readonly placed: readonly PlacedTerm[];
  /** The labels of the pod's namespace. */
  readonly namespaceLabels: Labels;
}

/**
 * What Filter needs: where the pods are that the pod wants to be with or apart from, and those that keep it off.
 *
 * A copy is for a trial on one node, and keeps how many pods of each sort that node has more in the trial.
 */
export class AffinityState {
  readonly #pod: PodInfo;
  readonly #terms: TermsInForce;
  readonly #friends: readonly TopologyCounts[];
  readonly #enemies: readonly TopologyCounts[];
  /** Whether the pod would do as the first of those that want to be together. */
  readonly #isOwnFriend: boolean;
  #moreFriends = 0;
  /** By own term of anti-affinity. */
  #moreEnemies: number[];
  /** By topology key: terms of anti-affinity of other pods. */
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

  /** Counts a pod that comes to the node of the trial, or goes from it. */
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

  /** Whether all wanted pods are near; the first pod of those that want each other needs none. */
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

  /** Whether pods near the node do not want the pod there. */
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
