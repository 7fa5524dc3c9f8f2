import type { NodeInfo } from '../cache/node-info.ts';
import type { CycleKey } from '../framework/cycle.ts';
import { MAX_NODE_SCORE, type Plugin } from '../framework/plugin.ts';
import type { PluginContext } from '../framework/plugin-context.ts';
import { readBalancedAllocationArgs, type ScoredResource } from './fit-args.ts';
import { isUncommon, podAmounts, takenOf } from './resource-allocation.ts';

const NAME = 'NodeResourcesBalancedAllocation';
const amountsKey: CycleKey<Float64Array> = { name: `PreScore${NAME}` };

/** Score: better where the pod brings the used shares of CPU, memory and other resources closer together. */
export function balancedAllocation({ args }: Pick<PluginContext, 'args'>): Plugin {
  const resources = readBalancedAllocationArgs(args);
  return {
    name: NAME,
    preScore(cycle) {
      const amounts = podAmounts(cycle.pod, resources);
      if (amounts.every((amount) => amount === 0)) return 'skip';
      cycle.write(amountsKey, amounts);
      return undefined;
    },
    score(cycle, node) {
      const amounts = cycle.read(amountsKey);
      const before = balance(node, resources, { amounts, isWithPod: false });
      const after = balance(node, resources, { amounts, isWithPod: true });
      return MAX_NODE_SCORE / 2 + Math.trunc((MAX_NODE_SCORE / 2 + after - before) / 2);
    },
  };
}

interface Pending {
  /** The pod's requests, in the order of the resources. */
  readonly amounts: Float64Array;
  /** Whether the pod is counted as if it were on the node. */
  readonly isWithPod: boolean;
}

/** 100 when the same share of all resources is used, less the larger their standard deviation is. */
function balance(node: NodeInfo, resources: readonly ScoredResource[], pending: Pending): number {
  let count = 0;
  let sum = 0;
  let first = 0;
  let last = 0;
  for (let index = 0; index < resources.length; index++) {
    const share = shareInUse(
      node,
      (resources[index] as ScoredResource).name,
      pending.amounts[index]!,
      pending.isWithPod,
    );
    if (share < 0) continue;
    if (count === 0) first = share;
    count += 1;
    sum += share;
    last = share;
  }
  // the standard deviation of two shares is half of their difference
  if (count <= 2) return score(count === 2 ? Math.abs((first - last) / 2) : 0);
  const mean = sum / count;
  let squares = 0;
  for (let index = 0; index < resources.length; index++) {
    const share = shareInUse(
      node,
      (resources[index] as ScoredResource).name,
      pending.amounts[index]!,
      pending.isWithPod,
    );
    if (share >= 0) squares += (share - mean) * (share - mean);
  }
  return score(Math.sqrt(squares / count));
}

function score(deviation: number): number {
  return Math.trunc((1 - deviation) * MAX_NODE_SCORE);
}

/**
 * Negative for a resource that the node lacks, or a scalar one that the pod does not request. Positional parameters
 * because this is a hot path.
 */
function shareInUse(node: NodeInfo, name: string, wanted: number, isWithPod: boolean): number {
  const allocatable = node.allocatable.amount(name) ?? 0;
  if (allocatable === 0 || (wanted === 0 && isUncommon(name))) return -1;
  return Math.min(1, (takenOf(node, name) + (isWithPod ? wanted : 0)) / allocatable);
}
