import type { Observed, Pod } from '../client/index.ts';
import type { PodNetwork } from '../node/index.ts';

/** Passes the addresses of pods on the real node of this process on to the programs of this process that registered for them. */
export class PodNetworkRelay implements PodNetwork {
  readonly #networks = new Set<PodNetwork>();

  add(network: PodNetwork): void {
    this.#networks.add(network);
  }

  async attached(
    pod: Observed<Pod>,
    addresses: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    await Promise.all([...this.#networks].map((network) => network.attached(pod, addresses, options)));
  }

  detached(pod: Observed<Pod>): void {
    for (const network of this.#networks) network.detached(pod);
  }
}
