import type { Processor } from './machine-topology.ts';
import { combinations } from './combinations.ts';
import { chooseCpus, CpuShortage, orderedNodes } from './cpu-choice.ts';

export interface DistributionOptions {
  /** Processors are given in multiples of this: the threads of a core, or 1. */
  readonly groupSize: number;
  readonly isSpread: boolean;
}

/** How many processors each of some NUMA nodes gives. */
type Shares = ReadonlyMap<number, number>;

/** Processors that are chosen together on a NUMA node: first the equal parts of all, then the rest group by group. */
interface Portion {
  readonly node: number;
  readonly count: number;
}

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
  const portions = bestPortions(topology, { available, count }, groupSize);
  if (portions === undefined) return chooseCpus(topology, { available, count }, packed);
  const taken = new Set<number>();
  for (const portion of portions) {
    const isFree = ({ cpu, numaNode }: Processor): boolean =>
      numaNode === portion.node && available.has(cpu) && !taken.has(cpu);
    const own = new Set(topology.filter(isFree).map(({ cpu }) => cpu));
    for (const cpu of chooseCpus(topology, { available: own, count: portion.count }, packed)) taken.add(cpu);
  }
  return taken;
}

/** Undefined when no NUMA nodes together have enough whole groups. */
function bestPortions(
  topology: readonly Processor[],
  { available, count }: { readonly available: ReadonlySet<number>; readonly count: number },
  groupSize: number,
): readonly Portion[] | undefined {
  const free = new Map<number, number>();
  for (const { cpu, numaNode } of topology) if (available.has(cpu)) free.set(numaNode, (free.get(numaNode) ?? 0) + 1);
  const nodes = orderedNodes(topology, available);
  const groups = Math.ceil(topology.length / groupSize);
  const perNode = Math.ceil(groups / new Set(topology.map(({ numaNode }) => numaNode)).size);
  const needed = count / groupSize;
  for (let size = Math.ceil(needed / perNode); size <= Math.min(needed, nodes.length); size++) {
    let best: Balanced | undefined;
    for (const combination of combinations(nodes, size)) {
      const found = portionsOf(combination, { free, count, groupSize });
      if (found !== undefined && (best === undefined || found.balance < best.balance)) best = found;
      if (best?.balance === 0) break;
    }
    if (best !== undefined) return best.portions;
  }
  return undefined;
}

interface Balanced {
  readonly portions: readonly Portion[];
  /** The standard deviation of what is left free on all NUMA nodes. */
  readonly balance: number;
}

/** Equal parts from these nodes; what cannot be divided goes to those that leave the best balance. */
function portionsOf(
  nodes: readonly number[],
  { free, count, groupSize }: { readonly free: Shares; readonly count: number; readonly groupSize: number },
): Balanced | undefined {
  const equal = Math.floor(count / nodes.length / groupSize) * groupSize;
  if (nodes.some((node) => (free.get(node) ?? 0) < equal)) return undefined;
  const whole = nodes.reduce((sum, node) => sum + Math.floor((free.get(node) ?? 0) / groupSize), 0);
  if (whole * groupSize < count) return undefined;
  const base = nodes.map((node) => ({ node, count: equal }));
  const rest = count - equal * nodes.length;
  if (rest === 0) return { portions: base, balance: deviation(free, sharesOf(base)) };
  const takers = nodes.filter((node) => (free.get(node) ?? 0) - equal >= groupSize);
  let best: Balanced | undefined;
  for (let size = takers.length; size >= 1; size--)
    for (const subset of combinations(takers, size)) {
      const portions = withRest(base, { subset, rest, free, groupSize });
      if (portions === undefined) continue;
      const balance = deviation(free, sharesOf(portions));
      if (best === undefined || balance < best.balance) best = { portions, balance };
    }
  return best;
}

/** Adds groups to the nodes of a subset in turn until nothing is left; undefined when they have too few. */
function withRest(
  base: readonly Portion[],
  { subset, rest, free, groupSize }: { subset: readonly number[]; rest: number; free: Shares; groupSize: number },
): readonly Portion[] | undefined {
  const portions = [...base];
  const shares = new Map(sharesOf(base));
  let left = rest;
  while (left > 0) {
    const before = left;
    for (const node of subset) {
      const share = shares.get(node) ?? 0;
      if (left === 0 || (free.get(node) ?? 0) - share < groupSize) continue;
      shares.set(node, share + groupSize);
      portions.push({ node, count: groupSize });
      left -= groupSize;
    }
    if (left === before) return undefined;
  }
  return portions;
}

function sharesOf(portions: readonly Portion[]): Shares {
  const shares = new Map<number, number>();
  for (const { node, count } of portions) shares.set(node, (shares.get(node) ?? 0) + count);
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
