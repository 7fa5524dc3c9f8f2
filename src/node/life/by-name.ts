/** Up to this many, looking through a list costs less than an index of it. */
const MAX_SEARCHED = 16;

/** Finds items of lists by their names. A pod may have thousands of containers, and each of them is looked for. Assumes lists that never change. */
export class ByName<T extends object> {
  readonly #nameOf: (item: T) => string;
  readonly #indexes = new WeakMap<readonly T[], ReadonlyMap<string, readonly T[]>>();

  constructor(nameOf: (item: T) => string) {
    this.#nameOf = nameOf;
  }

  /** All items of that name, in their order. */
  all(list: readonly T[], name: string): readonly T[] {
    if (list.length <= MAX_SEARCHED) return list.filter((item) => this.#nameOf(item) === name);
    return this.#indexOf(list).get(name) ?? [];
  }

  first(list: readonly T[], name: string): T | undefined {
    if (list.length <= MAX_SEARCHED) return list.find((item) => this.#nameOf(item) === name);
    return this.#indexOf(list).get(name)?.[0];
  }

  #indexOf(list: readonly T[]): ReadonlyMap<string, readonly T[]> {
    const known = this.#indexes.get(list);
    if (known !== undefined) return known;
    const index = new Map<string, T[]>();
    for (const item of list) {
      const name = this.#nameOf(item);
      const same = index.get(name);
      if (same === undefined) index.set(name, [item]);
      else same.push(item);
    }
    this.#indexes.set(list, index);
    return index;
  }
}
