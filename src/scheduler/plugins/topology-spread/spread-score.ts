import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Snapshot } from '../../cache/snapshot.ts';
import type { TopologyCounts } from '../../cache/topology-counts.ts';
import { MAX_NODE_SCORE } from '../../framework/plugin.ts';
import { hasAllKeys, type SpreadConstraint, spreadQueries } from './spread-constraints.ts';

const HOSTNAME = 'kubernetes.io/hostname';
/** The raw score of a node that lacks a topology label; others have at least 0. */
const NOT_SCORED = -1;

interface WeighedConstraint extends SpreadConstraint {
  readonly counts: TopologyCounts;
  /** Grows with the number of domains: the more there are, the fewer pods each has, and the more each pod counts. */
  readonly weight: number;
}

/** The state of Score for soft constraints: the fewer matching pods in a node's domains, the better. */
export class SpreadScores {
  readonly #constraints: readonly WeighedConstraint[];
  readonly #needsAllKeys: boolean;

  private constructor(constraints: readonly WeighedConstraint[], needsAllKeys: boolean) {
    this.#constraints = constraints;
    this.#needsAllKeys = needsAllKeys;
  }

  static of(
    pod: PodInfo,
    constraints: readonly SpreadConstraint[],
    given: { readonly nodes: readonly NodeInfo[]; readonly snapshot: Snapshot; readonly needsAllKeys: boolean },
  ): SpreadScores {
    const { snapshot, needsAllKeys } = given;
    const queries = spreadQueries(pod, constraints, { needsAllKeys });
    const nodes = needsAllKeys
      ? given.nodes.filter(({ node }) => node !== undefined && hasAllKeys(node, constraints))
      : given.nodes;
    const weighed = constraints.map((constraint, index) => ({
      counts: snapshot.topology.ask(queries[index]!),
      weight: Math.log(domainsAmong(nodes, constraint.topologyKey) + 2),
      ...constraint,
    }));
    return new SpreadScores(weighed, needsAllKeys);
  }

  /** A cost, which `normalize` reverses. */
  score(info: NodeInfo): number {
    const { node } = info;
    if (node === undefined || (this.#needsAllKeys && !hasAllKeys(node, this.#constraints))) return NOT_SCORED;
    let cost = 0;
    for (let index = 0; index < this.#constraints.length; index++) {
      const { topologyKey, counts, maxSkew, weight } = this.#constraints[index] as WeighedConstraint;
      const value = node.metadata.labels?.[topologyKey];
      if (value === undefined) continue;
      const count = topologyKey === HOSTNAME ? counts.on(info) : counts.in(value);
      cost += count * weight + (maxSkew - 1);
    }
    return Math.round(cost);
  }
}

/** The number of domains among the nodes; for the hostname label, the number of nodes. */
function domainsAmong(nodes: readonly NodeInfo[], topologyKey: string): number {
  if (topologyKey === HOSTNAME) return nodes.length;
  return new Set(nodes.map(({ node }) => node?.metadata.labels?.[topologyKey])).size;
}

/** Turns costs into scores: the lowest cost is best; nodes that were not scored get 0. */
export function normalizeCosts(scores: Float64Array): void {
  let highest = 0;
  let lowest = Infinity;
  for (const score of scores) {
    if (score === NOT_SCORED) continue;
    if (score > highest) highest = score;
    if (score < lowest) lowest = score;
  }
  for (let index = 0; index < scores.length; index++) {
    const cost = scores[index]!;
    if (cost === NOT_SCORED) scores[index] = 0;
    else if (highest === 0) scores[index] = MAX_NODE_SCORE;
    else scores[index] = Math.floor((MAX_NODE_SCORE * (highest + lowest - cost)) / highest);
  }
}
