import type { Observed, Pod } from '../client/index.ts';
import type { ContainerSpec } from '../node/index.ts';
import { combinations } from './combinations.ts';

/** A set of NUMA nodes that a resource can be taken from. */
export interface TopologyHint {
  /** In ascending order; undefined when any will do. */
  readonly nodes: readonly number[] | undefined;
  /** True when the resource cannot be taken from fewer NUMA nodes. */
  readonly isPreferred: boolean;
}

/** Hints by resource. An empty list: the resource cannot be taken from any NUMA nodes. Undefined: any will do. */
export type ResourceHints = ReadonlyMap<string, readonly TopologyHint[] | undefined>;

/**
 * Gives out resources that are near to a part of the machine: processors, memory, devices.
 *
 * The node asks all providers for hints, agrees on one set of NUMA nodes, and has each of them allocate with it. Providers are asked in the
 * order in which they were added.
 */
export interface HintProvider {
  /** For one container; an empty map when the container asks for nothing of the provider. */
  hints(pod: Observed<Pod>, container: ContainerSpec): ResourceHints;
  /** For all containers of a pod together. */
  podHints(pod: Observed<Pod>): ResourceHints;
  /** Allocates what a container asks for, on the agreed NUMA nodes if possible. Throws an `AdmissionError`, or any other error, to reject the pod. */
  allocate(pod: Observed<Pod>, container: ContainerSpec, affinity: TopologyHint): Promise<void>;
  /** Gives back what a pod has; does nothing for pods without anything. */
  release(podUid: string): Promise<void>;
}

/** Rejects a pod with this reason; the reason of all other errors is `UnexpectedAdmissionError`. */
export class AdmissionError extends Error {
  override readonly name = 'AdmissionError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** No agreement was asked for: providers choose themselves. */
export const NO_AGREEMENT: TopologyHint = { nodes: undefined, isPreferred: false };

/** All sets of these NUMA nodes, the smaller first. */
export function* nodeSets(nodes: readonly number[]): Generator<readonly number[]> {
  for (let size = 1; size <= nodes.length; size++) yield* combinations(nodes, size);
}
