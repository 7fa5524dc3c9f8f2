import type { PodGroups } from './pod-groups.ts';

/** By how much use may differ from the target before anything is done, as shares of the target. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

const MAX_INT32 = 2 ** 31 - 1;

/** How what was measured relates to what is wanted. */
export interface Usage {
  /** 1 when it is as wanted. */
  readonly ratio: number;
  /** The average of a pod, in thousandths. */
  readonly average: bigint;
  /** In percent of what was asked for, where the target is. */
  readonly utilization?: number;
}

/** What is measured against. */
export interface Yardstick {
  measure(metrics: ReadonlyMap<string, { readonly value: bigint }>): Usage;
  /** What a pod counts for that nobody has measured, when there seem to be too many. */
  assumed(pod: string): bigint;
}

/** Measures against an average value. */
export function averageTarget(target: bigint): Yardstick {
  return {
    measure(metrics) {
      const average = sumOf(metrics) / BigInt(metrics.size);
      return { ratio: Number(average) / Number(target), average };
    },
    assumed: () => target,
  };
}

/** Measures against a share of what the pods ask for, in percent. */
export function utilizationTarget(percent: number, requests: ReadonlyMap<string, bigint>): Yardstick {
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

/** How many replicas there should be for what the pods use, at least one of which is measured. */
export function replicasFor(
  groups: PodGroups,
  yardstick: Yardstick,
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

/** How many replicas there should be for the use of something that is not theirs alone. */
export function replicasForRatio(
  ratio: number,
  readyCount: () => number,
  { current, tolerances }: { readonly current: number; readonly tolerances: Tolerances },
): number {
  if (current === 0) return atMostInt32(ratio);
  return isWithin(tolerances, ratio) ? current : atMostInt32(ratio * readyCount());
}

/** The same where each replica takes its share. */
export function replicasForShares(
  usage: bigint,
  share: bigint,
  { current, tolerances }: { readonly current: number; readonly tolerances: Tolerances },
): number {
  const ratio = Number(usage) / (Number(share) * current);
  return isWithin(tolerances, ratio) ? current : atMostInt32(Number(usage) / Number(share));
}

/** What was measured, with what is believed of the others, so that the change is rather too small than too large. */
function withAssumptions(
  { counted, unready, missing }: PodGroups,
  yardstick: Yardstick,
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
