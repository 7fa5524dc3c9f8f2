import { keyOf, type KubernetesObject, type Observed } from '../kind.ts';
import type { Index } from './object-index.ts';
import { type Tally, TallyTable } from './tally.ts';

/** Read access to a cache of objects. The objects are shared: do not change them. */
export interface IndexReader<T extends KubernetesObject> {
  readonly size: number;
  /** The key is `namespace/name`, or the name alone for cluster-scoped objects. */
  get(key: string): Observed<T> | undefined;
  list(): Observed<T>[];
  keys(): IterableIterator<string>;
  values(): IterableIterator<Observed<T>>;
  /** The objects under a value of an index. The first look-up builds the index; from then on it is kept up to date. */
  byIndex(index: Index<T>, value: string): Observed<T>[];
  /** All values of an index that have at least one object. */
  indexValues(index: Index<T>): IterableIterator<string>;
  /** The number of objects under a value of a tally, by group. */
  counts(tally: Tally<T>, value: string): ReadonlyMap<string, number>;
}

/**
 * Objects by key and by any number of indexes.
 *
 * Example: with `podsByNode = index(Pod, (pod) => pod.spec?.nodeName)`, `byIndex(podsByNode, 'n1')` gives the pods on
 * `n1`.
 */
export class Indexer<T extends KubernetesObject> implements IndexReader<T> {
  readonly #objects = new Map<string, Observed<T>>();
  readonly #tables = new Map<Index<T>, IndexTable<T>>();
  readonly #tallies = new Map<Tally<T>, TallyTable<T>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): Observed<T> | undefined {
    return this.#objects.get(key);
  }

  list(): Observed<T>[] {
    return [...this.#objects.values()];
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  values(): IterableIterator<Observed<T>> {
    return this.#objects.values();
  }

  byIndex(index: Index<T>, value: string): Observed<T>[] {
    const found: Observed<T>[] = [];
    for (const key of this.#table(index).keys(value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  indexValues(index: Index<T>): IterableIterator<string> {
    return this.#table(index).values();
  }

  counts(tally: Tally<T>, value: string): ReadonlyMap<string, number> {
    let table = this.#tallies.get(tally);
    if (table === undefined) {
      table = new TallyTable(tally);
      for (const object of this.#objects.values()) table.move(undefined, object);
      this.#tallies.set(tally, table);
    }
    return table.counts(value);
  }

  set(object: Observed<T>): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const table of this.#tables.values()) table.move(key, old, object);
    for (const table of this.#tallies.values()) table.move(old, object);
  }

  /** Removes the object; returns whether it existed. */
  delete(key: string): boolean {
    const old = this.#objects.get(key);
    if (old === undefined) return false;
    this.#objects.delete(key);
    for (const table of this.#tables.values()) table.move(key, old, undefined);
    for (const table of this.#tallies.values()) table.move(old, undefined);
    return true;
  }

  #table(index: Index<T>): IndexTable<T> {
    const known = this.#tables.get(index);
    if (known !== undefined) return known;
    const table = new IndexTable(index);
    for (const [key, object] of this.#objects) table.move(key, undefined, object);
    this.#tables.set(index, table);
    return table;
  }
}

/** One index of one cache: keys by value. Most values have a single key, which needs no set. */
class IndexTable<T extends KubernetesObject> {
  readonly #valuesOf: Index<T>['valuesOf'];
  readonly #keys = new Map<string, string | Set<string>>();

  constructor({ valuesOf }: Index<T>) {
    this.#valuesOf = valuesOf;
  }

  keys(value: string): Iterable<string> {
    const keys = this.#keys.get(value);
    if (keys === undefined) return [];
    return typeof keys === 'string' ? [keys] : keys;
  }

  values(): IterableIterator<string> {
    return this.#keys.keys();
  }

  move(key: string, old: Observed<T> | undefined, now: Observed<T> | undefined): void {
    const before = old === undefined ? undefined : this.#valuesOf(old);
    const after = now === undefined ? undefined : this.#valuesOf(now);
    if (before === after) return;
    const left = setOf(before);
    const right = setOf(after);
    for (const value of left) if (!right.has(value)) this.#remove(value, key);
    for (const value of right) if (!left.has(value)) this.#add(value, key);
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys === 'string') this.#keys.set(value, new Set([keys, key]));
    else keys.add(key);
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (typeof keys === 'object' && keys.size > 1) keys.delete(key);
    else this.#keys.delete(value);
  }
}

function setOf(values: Iterable<string> | undefined): ReadonlySet<string> {
  return new Set(typeof values === 'string' ? [values] : values);
}
