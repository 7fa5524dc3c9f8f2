import { AddressPool } from './address-pool.ts';

/** The addresses of a node's pods: one of each range. */
export class PodAddresses {
  #pools: readonly AddressPool[];

  /** The ranges: at most one of each IP family. */
  constructor(podCidrs: readonly string[]) {
    this.#pools = podCidrs.map((cidr) => new AddressPool(cidr));
  }

  /** New pods get addresses of these ranges; those in use are kept from them. */
  use(podCidrs: readonly string[], inUse: readonly string[]): void {
    this.#pools = podCidrs.map((cidr) => new AddressPool(cidr));
    this.reserve(inUse);
  }

  take(): readonly string[] {
    return this.#pools.map((pool) => pool.take());
  }

  /** Those of the addresses that were free. */
  reserve(ips: readonly string[]): readonly string[] {
    return ips.filter((ip) => this.#pools.some((pool) => pool.reserve(ip)));
  }

  release(ips: readonly string[]): void {
    for (const ip of ips) for (const pool of this.#pools) pool.release(ip);
  }
}
