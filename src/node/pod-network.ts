import type { Observed, Pod } from '../client/index.ts';

/**
 * Receives the addresses of a node's pods before the API shows them: enforcers of policies keep a pod closed until they know it.
 * Pods on the network of the node and static pods, which the API knows by another uid, are not reported.
 */
export interface PodNetwork {
  /**
   * The pod has these addresses, and no container of it has started in this sandbox. Containers start when this has resolved; when it
   * rejects, it is called again later. Also called when the pod gets a new sandbox, and after a restart of the agent before a container starts.
   */
  attached(pod: Observed<Pod>, addresses: readonly string[], options: { readonly signal: AbortSignal }): Promise<void>;
  /** Containers of the pod have stopped, and its addresses are about to become free. May be called for a pod that was never attached. */
  detached(pod: Observed<Pod>): void;
}
