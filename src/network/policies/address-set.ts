import type { SetChange } from './resolved-policy.ts';

/** Addresses of the pods in a set, and what has changed since `takeChange`. Two pods may have one address for a moment. */
export class AddressSet {
  /** How many pods have the address. */
  readonly #counts = new Map<string, number>();
  /** Addresses that the last taken change does not tell of: whether the receiver has each. Undefined before the first. */
  #touched: Map<string, boolean> | undefined;

  get size(): number {
    return this.#counts.size;
  }

  add(addresses: readonly string[]): void {
    for (const address of addresses) {
      const count = this.#counts.get(address) ?? 0;
      if (count === 0) this.#touch(address, false);
      this.#counts.set(address, count + 1);
    }
  }

  remove(addresses: readonly string[]): void {
    for (const address of addresses) {
      const count = this.#counts.get(address) ?? 0;
      if (count > 1) this.#counts.set(address, count - 1);
      else if (this.#counts.delete(address)) this.#touch(address, true);
    }
  }

  /** The whole set the first time, then differences; undefined when there is none. */
  takeChange(): SetChange | undefined {
    const touched = this.#touched;
    if (touched?.size === 0) return undefined;
    this.#touched = new Map();
    if (touched === undefined) return { type: 'whole', addresses: [...this.#counts.keys()] };
    const has = (address: string): boolean => this.#counts.has(address);
    const added = [...touched].flatMap(([address, isKnown]) => (!isKnown && has(address) ? [address] : []));
    const removed = [...touched].flatMap(([address, isKnown]) => (isKnown && !has(address) ? [address] : []));
    return added.length + removed.length === 0 ? undefined : { type: 'difference', added, removed };
  }

  /** Makes the next change the whole set. */
  forget(): void {
    this.#touched = undefined;
  }

  #touch(address: string, isKnown: boolean): void {
    if (this.#touched !== undefined && !this.#touched.has(address)) this.#touched.set(address, isKnown);
  }
}
