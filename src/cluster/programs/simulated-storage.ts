import type { NodesOptions } from './kubelet/node-options.ts';

/** Storage for the claims of a cluster with simulated nodes. */
export interface SimulatedStorageOptions extends Pick<NodesOptions, 'nodes' | 'nodeBackend'> {
  /** Whether simulated nodes have storage: a default class `standard`, and volumes for its claims; default true. */
  readonly simulatedStorage?: boolean;
}

/** The service account of the sidecars of the simulated driver. */
export const PROVISIONER_ACCOUNT = 'volume-provisioner';

/** Storage is simulated where nodes are, if controllers bind claims. */
export function hasSimulatedStorage(options: SimulatedStorageOptions & { readonly controllers?: unknown }): boolean {
  const { simulatedStorage = true, nodes = 1, nodeBackend, controllers = true } = options;
  return simulatedStorage && nodes > 0 && nodeBackend === undefined && controllers !== false;
}
