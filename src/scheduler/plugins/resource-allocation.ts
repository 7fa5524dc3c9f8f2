import { hasPodLevelRequests, podRequests } from '../../api/meaning/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { ASSUMED_REQUESTS, type PodInfo } from '../cache/pod-info.ts';
import { isScalarResource, Resources } from '../cache/resources.ts';
import { MAX_NODE_SCORE } from '../framework/plugin.ts';
import type { ScoredResource, UtilizationPoint } from './fit-args.ts';

/** The pod's requests of each scored resource, in their order. */
export function podAmounts(pod: PodInfo, resources: readonly ScoredResource[]): Float64Array {
  return Float64Array.from(resources, ({ name }) => pod.requests.amount(name) ?? 0);
}

/** The same with `ASSUMED_REQUESTS` for containers without requests; pod-level requests are ignored. */
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
  /** The score of one resource; `requested` includes the pod. */
  score(requested: number, allocatable: number): number;
  /** Skips resources with score 0, and rounds the mean to the nearest integer instead of down. */
  readonly isOverScoredOnly?: boolean;
}

/** The weighted mean over the resources that the node has. */
export function allocationScore(amounts: Float64Array, node: NodeInfo, scoring: AllocationScoring): number {
  const { resources } = scoring;
  let sum = 0;
  let weights = 0;
  for (let index = 0; index < resources.length; index++) {
    const { name, weight } = resources[index] as ScoredResource;
    const wanted = amounts[index]!;
    if (wanted === 0 && isUncommon(name)) continue; // a resource that the pod does not request is not scored
    const allocatable = node.allocatable.amount(name) ?? 0;
    if (allocatable === 0) continue;
    const taken = scoring.isNonZero ? nonZeroTaken(node, name) : takenOf(node, name);
    const score = scoring.score(taken + wanted, allocatable);
    if (scoring.isOverScoredOnly === true && score <= 0) continue;
    sum += weight * score;
    weights += weight;
  }
  if (weights === 0) return 0;
  return scoring.isOverScoredOnly === true ? Math.round(sum / weights) : Math.floor(sum / weights);
}

/** The share that would remain free. */
export function leastAllocated(requested: number, allocatable: number): number {
  if (requested > allocatable) return 0;
  return Math.floor(((allocatable - requested) * MAX_NODE_SCORE) / allocatable);
}

/** The share that would be used. */
export function mostAllocated(requested: number, allocatable: number): number {
  return Math.floor((Math.min(requested, allocatable) * MAX_NODE_SCORE) / allocatable);
}

/** Interpolates the score linearly between the points. */
export function byUtilization(shape: readonly UtilizationPoint[]): AllocationScoring['score'] {
  const points = shape.map(({ utilization, score }) => ({ utilization, score: score * (MAX_NODE_SCORE / 10) }));
  return (requested, allocatable) => {
    const utilization = requested > allocatable ? 100 : Math.floor((requested * 100) / allocatable);
    const index = points.findIndex((point) => utilization <= point.utilization);
    const to = points.at(index) as UtilizationPoint; // the last point when the share is beyond it
    const from = points[index - 1];
    if (from === undefined) return to.score;
    const rise = (to.score - from.score) * (utilization - from.utilization);
    return from.score + Math.trunc(rise / (to.utilization - from.utilization));
  };
}

/** How much of a resource the node's pods use. */
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
