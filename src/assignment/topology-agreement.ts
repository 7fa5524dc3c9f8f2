import type { NumaNode } from './machine-topology.ts';
import type { TopologyOptions, TopologyPolicy } from './assignment-options.ts';
import type { ResourceHints, TopologyHint } from './topology-hints.ts';

export interface Agreement {
  readonly affinity: TopologyHint;
  /** False when the policy does not accept the best that was found. */
  readonly isAccepted: boolean;
}

interface Candidate {
  readonly nodes: readonly number[];
  readonly isPreferred: boolean;
}

/** What hints of some lists have in common. */
interface Combination extends Candidate {
  /** Whether one of the hints has NUMA nodes. */
  readonly hasNodes: boolean;
}

/**
 * Finds the NUMA nodes that suit all resources of a container or a pod best: one hint of each resource is combined with one of each other
 * resource; the nodes that they have in common are a candidate.
 */
export class TopologyAgreement {
  readonly #policy: Exclude<TopologyPolicy, 'none'>;
  readonly #all: readonly number[];
  readonly #distances: ReadonlyMap<number, readonly number[]>;
  readonly #options: TopologyOptions;

  constructor(
    policy: Exclude<TopologyPolicy, 'none'>,
    nodes: readonly Pick<NumaNode, 'id' | 'distances'>[],
    options: TopologyOptions,
  ) {
    if (nodes.length > options.maxNodes)
      throw new Error(`unsupported on machines with more than ${options.maxNodes} NUMA Nodes`);
    this.#policy = policy;
    this.#all = nodes.map(({ id }) => id).toSorted((left, right) => left - right);
    this.#distances = new Map(nodes.map(({ id, distances }) => [id, distances]));
    this.#options = options;
  }

  reach(providers: readonly ResourceHints[]): Agreement {
    const lists = providers.flatMap(listsOf);
    const isSingle = this.#policy === 'single-numa-node';
    const best = this.#best(isSingle ? lists.map(singleOnly) : lists);
    const isAll = best.nodes.length === this.#all.length;
    const affinity = isSingle && isAll ? { nodes: undefined, isPreferred: best.isPreferred } : best;
    return { affinity, isAccepted: this.#policy === 'best-effort' || best.isPreferred };
  }

  #best(lists: readonly (readonly TopologyHint[])[]): Candidate {
    const expected = Math.max(0, ...lists.map(narrowestCount));
    let best: Candidate | undefined;
    for (const { nodes, isPreferred } of this.#combinations(lists)) {
      const candidate = { nodes, isPreferred };
      if (nodes.length > 0 && (best === undefined || this.#isBetter(candidate, best, expected))) best = candidate;
    }
    return best ?? { nodes: this.#all, isPreferred: false };
  }

  /**
   * What one hint of each list have in common, each result once. The lists are taken in one after the other: with 8 NUMA nodes and three
   * resources there are 16 million ways to choose, and never more than a thousand results.
   */
  #combinations(lists: readonly (readonly TopologyHint[])[]): Iterable<Combination> {
    let combinations: Iterable<Combination> = [{ nodes: this.#all, isPreferred: true, hasNodes: false }];
    for (const hints of lists) {
      const next = new Map<string, Combination>();
      for (const before of combinations)
        for (const hint of hints) {
          const combination = combined(before, hint);
          const { nodes, isPreferred, hasNodes } = combination;
          next.set(`${nodes.join(',')} ${isPreferred} ${hasNodes}`, combination);
        }
      combinations = next.values();
    }
    return combinations;
  }

  /**
   * Preferred candidates come first. Others should have `expected` nodes, the most that any single resource needs: fewer are too tight for
   * it, more are wasteful.
   */
  #isBetter(candidate: Candidate, best: Candidate, expected: number): boolean {
    if (candidate.isPreferred !== best.isPreferred) return candidate.isPreferred;
    if (candidate.isPreferred) return this.#isTighter(candidate.nodes, best.nodes);
    const [count, bestCount] = [candidate.nodes.length, best.nodes.length];
    if (bestCount > expected) return this.#isTighter(candidate.nodes, best.nodes);
    if (bestCount === expected) return count === expected && this.#isTighter(candidate.nodes, best.nodes);
    if (count > expected) return false;
    if (count === expected) return true;
    return count === bestCount ? this.#isTighter(candidate.nodes, best.nodes) : count > bestCount;
  }

  /** Fewer nodes, then nearer ones if asked for, then those with the lower numbers. */
  #isTighter(nodes: readonly number[], than: readonly number[]): boolean {
    if (isSame(nodes, than)) return false;
    if (nodes.length !== than.length) return nodes.length < than.length;
    if (this.#options.prefersClosest && this.#policy !== 'single-numa-node') {
      const [distance, other] = [this.#distance(nodes), this.#distance(than)];
      if (distance !== other) return distance < other;
    }
    return maskOf(nodes) < maskOf(than);
  }

  #distance(nodes: readonly number[]): number {
    const all = nodes.flatMap((from) => nodes.map((to) => this.#distances.get(from)?.[to] ?? 0));
    return all.reduce((sum, each) => sum + each, 0) / all.length;
  }
}

/** The hints of each resource of a provider. A provider without any has no preference. */
function listsOf(hints: ResourceHints): readonly (readonly TopologyHint[])[] {
  if (hints.size === 0) return [[{ nodes: undefined, isPreferred: true }]];
  return [...hints.values()].map((list) => {
    if (list === undefined) return [{ nodes: undefined, isPreferred: true }];
    return list.length === 0 ? [{ nodes: undefined, isPreferred: false }] : list;
  });
}

function singleOnly(hints: readonly TopologyHint[]): readonly TopologyHint[] {
  return hints.filter(({ nodes, isPreferred }) => isPreferred && (nodes === undefined || nodes.length === 1));
}

function narrowestCount(hints: readonly TopologyHint[]): number {
  const counts = hints.flatMap(({ nodes }) => (nodes === undefined ? [] : [nodes.length]));
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/** Preferred are combinations of preferred hints that all have the same NUMA nodes, or any. */
function combined(before: Combination, { nodes: hinted, isPreferred: isHintPreferred }: TopologyHint): Combination {
  const isPreferred = before.isPreferred && isHintPreferred;
  if (hinted === undefined) return { ...before, isPreferred };
  const nodes = before.nodes.filter((id) => hinted.includes(id));
  const areEqual = !before.hasNodes || isSame(before.nodes, hinted);
  return { nodes, isPreferred: isPreferred && areEqual, hasNodes: true };
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((node, index) => node === right[index]);
}

/** Node numbers as bits: the order of sets of the same size. */
function maskOf(nodes: readonly number[]): number {
  return nodes.reduce((mask, node) => mask + 2 ** node, 0);
}
