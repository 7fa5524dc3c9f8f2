import { hasPodLevelRequests, podRequests } from '../../api/meaning/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { ASSUMED_REQUESTS, type PodInfo } from '../cache/pod-info.ts';
import { isScalarResource, Resources } from '../cache/resources.ts';
import { MAX_NODE_SCORE } from '../framework/plugin.ts';
import type { ScoredResource } from './fit-args.ts';

/** What a pod wants of each scored resource, in their order. */
export function podAmounts(pod: PodInfo, resources: readonly ScoredResource[]): Float64Array {
  return Float64Array.from(resources, ({ name }) => pod.requests.amount(name) ?? 0);
}

/** The same with `ASSUMED_REQUESTS` for containers without requests; pod-level requests do not count. */
export function nonZeroPodAmounts(pod: PodInfo, resources: readonly ScoredResource[]): Float64Array {
  if (!hasPodLevelRequests(pod.pod)) {
    const amounts = podAmounts(pod, resources);
    for (const [index, { name }] of resources.entries()) {
      if (name === 'cpu') amounts[index] = pod.nonZeroMilliCpu;
      if (name === 'memory') amounts[index] = pod.nonZeroMemory;
    }
    return amounts;
  }
  const amounts = Resources.of(podRequests(pod.pod, { forMissing: ASSUMED_REQUESTS, isPodLevelIgnored: true }));
  return Float64Array.from(resources, ({ name }) => amounts.amount(name) ?? 0);
}

export interface AllocationScoring {
  readonly resources: readonly ScoredResource[];
  /** Counts `ASSUMED_REQUESTS` for pods on the node without requests. */
  readonly isNonZero: boolean;
  /** The score of one resource: with the pod `requested` of the `allocatable` would be taken. */
  score(requested: number, allocatable: number): number;
}

/** The weighted mean over the resources that the node has. */
export function allocationScore(amounts: Float64Array, node: NodeInfo, scoring: AllocationScoring): number {
  const { resources } = scoring;
  let sum = 0;
  let weights = 0;
  for (let index = 0; index < resources.length; index++) {
    const { name, weight } = resources[index] as ScoredResource;
    const wanted = amounts[index]!;
    if (wanted === 0 && isUncommon(name)) continue; // a resource that the pod does not want says nothing about the node
    const allocatable = node.allocatable.amount(name) ?? 0;
    if (allocatable === 0) continue;
    const taken = scoring.isNonZero ? nonZeroTaken(node, name) : takenOf(node, name);
    sum += weight * scoring.score(taken + wanted, allocatable);
    weights += weight;
  }
  return weights === 0 ? 0 : Math.floor(sum / weights);
}

/** The share that would stay free. */
export function leastAllocated(requested: number, allocatable: number): number {
  if (requested > allocatable) return 0;
  return Math.floor(((allocatable - requested) * MAX_NODE_SCORE) / allocatable);
}

/** How much of a resource the pods on a node take. */
export function takenOf(node: NodeInfo, name: string): number {
  return node.requested.amount(name) ?? 0;
}

function nonZeroTaken(node: NodeInfo, name: string): number {
  if (name === 'cpu') return node.nonZeroMilliCpu;
  return name === 'memory' ? node.nonZeroMemory : takenOf(node, name);
}

export function isUncommon(name: string): boolean {
  return name !== 'cpu' && name !== 'memory' && isScalarResource(name);
}
