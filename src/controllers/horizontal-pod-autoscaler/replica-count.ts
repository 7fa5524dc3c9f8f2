import type { PodGroups } from './pod-groups.ts';

/** The shares by which usage may differ from the target without scaling. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

const MAX_INT32 = 2 ** 31 - 1;

/** Measured usage relative to the target. */
export interface Usage {
  /** 1 when the target is met. */
  readonly ratio: number;
  /** The average per pod, in thousandths. */
  readonly average: bigint;
  /** Percentage of the requests, for utilization targets. */
  readonly utilization?: number;
}

/** A target to measure against. */
export interface UsageTarget {
  measure(metrics: ReadonlyMap<string, { readonly value: bigint }>): Usage;
  /** The assumed usage of an unmeasured pod when scaling down. */
  assumed(pod: string): bigint;
}

/** A target of an average value. */
export function averageTarget(target: bigint): UsageTarget {
  return {
    measure(metrics) {
      const average = sumOf(metrics) / BigInt(metrics.size);
      return { ratio: Number(average) / Number(target), average };
    },
    assumed: () => target,
  };
}

/** A target of a utilization: a percentage of the pods' requests. */
export function utilizationTarget(percent: number, requests: ReadonlyMap<string, bigint>): UsageTarget {
  return {
    measure(metrics) {
      const known = new Map([...metrics].filter(([pod]) => requests.has(pod)));
      const requested = [...known.keys()].reduce((sum, pod) => sum + (requests.get(pod) ?? 0n), 0n);
      if (requested === 0n) throw new Error('no metrics returned matched known pods');
      const used = sumOf(known);
      const utilization = Number((used * 100n) / requested);
      return { ratio: utilization / percent, average: used / BigInt(known.size), utilization };
    },
    assumed: (pod) => ((requests.get(pod) ?? 0n) * BigInt(Math.max(100, percent))) / 100n,
  };
}

/** The replicas for the measured pods, of which there is at least one. */
export function replicasFor(
  groups: PodGroups,
  yardstick: UsageTarget,
  { current, tolerances }: { readonly current: number; readonly tolerances: Tolerances },
): { readonly replicas: number; readonly usage: Usage } {
  const { counted, readyCount, unready, missing } = groups;
  const usage = yardstick.measure(counted);
  const growsWithUnready = unready.length > 0 && usage.ratio > 1;
  if (!growsWithUnready && missing.length === 0) {
    const replicas = isWithin(tolerances, usage.ratio) ? current : atMostInt32(usage.ratio * readyCount);
    return { replicas, usage };
  }
  const cautious = withAssumptions(groups, yardstick, usage.ratio);
  const { ratio } = yardstick.measure(cautious);
  const replicas = atMostInt32(ratio * cautious.size);
  const turnsBack = (usage.ratio < 1 && ratio > 1) || (usage.ratio > 1 && ratio < 1);
  const goesAstray = (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
  return { replicas: isWithin(tolerances, ratio) || turnsBack || goesAstray ? current : replicas, usage };
}

/** The replicas for a usage ratio that is not measured per pod. */
export function replicasForRatio(
  ratio: number,
  readyCount: () => number,
  { current, tolerances }: { readonly current: number; readonly tolerances: Tolerances },
): number {
  if (current === 0) return atMostInt32(ratio);
  return isWithin(tolerances, ratio) ? current : atMostInt32(ratio * readyCount());
}

/** The same where the usage is divided among the replicas. */
export function replicasForShares(
  usage: bigint,
  share: bigint,
  { current, tolerances }: { readonly current: number; readonly tolerances: Tolerances },
): number {
  const ratio = Number(usage) / (Number(share) * current);
  return isWithin(tolerances, ratio) ? current : atMostInt32(Number(usage) / Number(share));
}

/** The samples plus assumed values for the other pods, chosen so that the change is rather too small than too large. */
function withAssumptions(
  { counted, unready, missing }: PodGroups,
  yardstick: UsageTarget,
  ratio: number,
): ReadonlyMap<string, { readonly value: bigint }> {
  const all = new Map<string, { readonly value: bigint }>(counted);
  if (ratio < 1) for (const pod of missing) all.set(pod, { value: yardstick.assumed(pod) });
  if (ratio > 1) for (const pod of [...missing, ...unready]) all.set(pod, { value: 0n });
  return all;
}

function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

function sumOf(metrics: ReadonlyMap<string, { readonly value: bigint }>): bigint {
  return [...metrics.values()].reduce((sum, { value }) => sum + value, 0n);
}

function atMostInt32(count: number): number {
  return Math.min(Math.ceil(count), MAX_INT32);
}
