import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Snapshot } from '../../cache/snapshot.ts';
import type { TopologyCounts } from '../../cache/topology-counts.ts';
import { type Rejection, unresolvable, unschedulable } from '../../framework/rejection.ts';
import { type SpreadConstraint, spreadQueries } from './spread-constraints.ts';

const PLUGIN = 'PodTopologySpread';
const TOO_MANY = unschedulable(PLUGIN, "node(s) didn't match pod topology spread constraints");
const NO_LABEL = unresolvable(PLUGIN, "node(s) didn't match pod topology spread constraints (missing required label)");

interface CountedConstraint extends SpreadConstraint {
  readonly counts: TopologyCounts;
  /** 1 if the constraint selects the pod itself, else 0. */
  readonly self: number;
}

/**
 * The state of Filter: matching pods per topology domain of each hard constraint.
 *
 * A copy is for a trial on one node and adds the pods that the trial puts there or removes.
 */
export class SpreadState {
  readonly #namespace: string | undefined;
  readonly #constraints: readonly CountedConstraint[];
  /** By constraint: pods that the trial adds. */
  readonly #more: number[];

  private constructor(namespace: string | undefined, constraints: readonly CountedConstraint[], more: number[]) {
    this.#namespace = namespace;
    this.#constraints = constraints;
    this.#more = more;
  }

  static of(pod: PodInfo, constraints: readonly SpreadConstraint[], snapshot: Snapshot): SpreadState {
    const queries = spreadQueries(pod, constraints, { needsAllKeys: true });
    const counted = constraints.map((constraint, index) => ({
      counts: snapshot.topology.ask(queries[index]!),
      self: constraint.selector.matches(pod.pod.metadata.labels) ? 1 : 0,
      ...constraint,
    }));
    const none = counted.map(() => 0);
    return new SpreadState(pod.pod.metadata.namespace, counted, none);
  }

  clone(): SpreadState {
    return new SpreadState(this.#namespace, this.#constraints, [...this.#more]);
  }

  /**
   * Counts a pod that the trial adds to or removes from its node. As in kube-scheduler, that includes terminating pods,
   * although they were not counted before.
   */
  change({ pod: { metadata } }: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    if (metadata.namespace !== this.#namespace) return;
    for (const [index, { counts, selector }] of this.#constraints.entries())
      if (counts.hasDomain(node) && selector.matches(metadata.labels)) this.#more[index]! += sign;
  }

  filter({ node }: NodeInfo): Rejection | undefined {
    const labels = node?.metadata.labels;
    for (let index = 0; index < this.#constraints.length; index++) {
      const { topologyKey, counts, self, maxSkew, minDomains } = this.#constraints[index] as CountedConstraint;
      const value = labels?.[topologyKey];
      if (value === undefined) return NO_LABEL;
      const more = this.#more[index]!;
      const lowest = counts.size < minDomains ? 0 : counts.lowest(value, more);
      if (counts.in(value) + more + self - lowest > maxSkew) return TOO_MANY;
    }
    return undefined;
  }
}
