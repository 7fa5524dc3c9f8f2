import type { Processor } from '../machine/machine-topology.ts';
import { combinations } from './combinations.ts';
import { chooseCpus, CpuShortage, orderedNodes } from './cpu-choice.ts';

export interface DistributionOptions {
  /** Processors are given in multiples of this: the threads of a core, or 1. */
  readonly groupSize: number;
  readonly isSpread: boolean;
}

/** How many processors each of some NUMA nodes gives. */
type Shares = ReadonlyMap<number, number>;

/**
 * Chooses processors in equal parts from as few NUMA nodes as possible. Of several ways, the one that leaves the free processors most
 * evenly over all NUMA nodes is chosen.
 *
 * Example: 6 processors on a machine with 2 NUMA nodes of 4: three from each.
 */
export function distributeCpus(
  topology: readonly Processor[],
  { available, count }: { readonly available: ReadonlySet<number>; readonly count: number },
  { groupSize, isSpread }: DistributionOptions,
): ReadonlySet<number> {
  const packed = { isSpread, isByCache: false };
  if (count % groupSize !== 0 || count === 0) return chooseCpus(topology, { available, count }, packed);
  if (count > available.size)
    throw new CpuShortage(
      `not enough cpus available to satisfy request: requested=${count}, available=${available.size}`,
    );
  const shares = bestShares(topology, { available, count }, groupSize);
  if (shares === undefined) return chooseCpus(topology, { available, count }, packed);
  const taken = new Set<number>();
  for (const [node, share] of shares) {
    const own = new Set(
      topology.filter(({ cpu, numaNode }) => numaNode === node && available.has(cpu)).map(({ cpu }) => cpu),
    );
    for (const cpu of chooseCpus(topology, { available: own, count: share }, packed)) taken.add(cpu);
  }
  return taken;
}

/** Undefined when no NUMA nodes together have enough whole groups. */
function bestShares(
  topology: readonly Processor[],
  { available, count }: { readonly available: ReadonlySet<number>; readonly count: number },
  groupSize: number,
): Shares | undefined {
  const free = new Map<number, number>();
  for (const { cpu, numaNode } of topology) if (available.has(cpu)) free.set(numaNode, (free.get(numaNode) ?? 0) + 1);
  const nodes = orderedNodes(topology, available);
  const groups = Math.ceil(topology.length / groupSize);
  const perNode = Math.ceil(groups / new Set(topology.map(({ numaNode }) => numaNode)).size);
  const needed = count / groupSize;
  for (let size = Math.ceil(needed / perNode); size <= Math.min(needed, nodes.length); size++) {
    let best: { readonly shares: Shares; readonly balance: number } | undefined;
    for (const combination of combinations(nodes, size)) {
      const found = sharesOf(combination, { free, count, groupSize });
      if (found !== undefined && (best === undefined || found.balance < best.balance)) best = found;
      if (best?.balance === 0) break;
    }
    if (best !== undefined) return best.shares;
  }
  return undefined;
}

interface Balanced {
  readonly shares: Shares;
  /** The standard deviation of what is left free on all NUMA nodes. */
  readonly balance: number;
}

/** Equal parts from these nodes; what cannot be divided goes to those that leave the best balance. */
function sharesOf(
  nodes: readonly number[],
  { free, count, groupSize }: { readonly free: Shares; readonly count: number; readonly groupSize: number },
): Balanced | undefined {
  const equal = Math.floor(count / nodes.length / groupSize) * groupSize;
  if (nodes.some((node) => (free.get(node) ?? 0) < equal)) return undefined;
  const whole = nodes.reduce((sum, node) => sum + Math.floor((free.get(node) ?? 0) / groupSize), 0);
  if (whole * groupSize < count) return undefined;
  const base = new Map(nodes.map((node) => [node, equal]));
  const rest = count - equal * nodes.length;
  if (rest === 0) return { shares: base, balance: deviation(free, base) };
  const takers = nodes.filter((node) => (free.get(node) ?? 0) - equal >= groupSize);
  let best: Balanced | undefined;
  for (let size = takers.length; size >= 1; size--)
    for (const subset of combinations(takers, size)) {
      const shares = withRest(base, { subset, rest, free, groupSize });
      if (shares === undefined) continue;
      const balance = deviation(free, shares);
      if (best === undefined || balance < best.balance) best = { shares, balance };
    }
  return best;
}

/** Adds groups to the nodes of a subset in turn until nothing is left; undefined when they have too few. */
function withRest(
  base: Shares,
  { subset, rest, free, groupSize }: { subset: readonly number[]; rest: number; free: Shares; groupSize: number },
): Shares | undefined {
  const shares = new Map(base);
  let left = rest;
  while (left > 0) {
    const before = left;
    for (const node of subset) {
      const share = shares.get(node) ?? 0;
      if (left === 0 || (free.get(node) ?? 0) - share < groupSize) continue;
      shares.set(node, share + groupSize);
      left -= groupSize;
    }
    if (left === before) return undefined;
  }
  return shares;
}

function deviation(free: Shares, taken: Shares): number {
  const left = [...free].map(([node, amount]) => amount - (taken.get(node) ?? 0));
  const mean = rounded(left.reduce((sum, each) => sum + each, 0) / left.length);
  return rounded(Math.sqrt(left.reduce((sum, each) => sum + (each - mean) ** 2, 0) / left.length));
}

/** To thousandths, so that rounding errors decide nothing. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
