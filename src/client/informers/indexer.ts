import { keyOf, type KubernetesObject, type Observed } from '../kind.ts';

/** The values under which an object is found in an index: any number of them. */
export type IndexFunction<T extends KubernetesObject> = (object: Observed<T>) => Iterable<string>;

/** Reading from a cache of objects. What it gives is only to be read: others hold it too. */
export interface IndexReader<T extends KubernetesObject> {
  readonly size: number;
  /** By `namespace/name`, or the name alone outside of namespaces. */
  get(key: string): Observed<T> | undefined;
  list(): Observed<T>[];
  keys(): IterableIterator<string>;
  values(): IterableIterator<Observed<T>>;
  /** The objects under a value of an index; throws when there is no such index. */
  byIndex(index: string, value: string): Observed<T>[];
  /** All values of an index under which there is an object. */
  indexValues(index: string): IterableIterator<string>;
}

/** Index functions by name. */
export type Indexes<T extends KubernetesObject> = Readonly<Record<string, IndexFunction<T>>>;

/** The index that every shared informer has. */
export const NAMESPACE_INDEX = 'namespace';

export function byNamespace(object: Observed<KubernetesObject>): readonly string[] {
  const { namespace } = object.metadata;
  return namespace === undefined || namespace === '' ? [] : [namespace];
}

/**
 * Objects by key, and by whatever else they are looked up by.
 *
 * Example: `new Indexer<Pod>({ node: (pod) => [pod.spec?.nodeName ?? ''] })`, then `byIndex('node', 'n1')`.
 */
export class Indexer<T extends KubernetesObject> implements IndexReader<T> {
  readonly #objects = new Map<string, Observed<T>>();
  readonly #indexes = new Map<string, Index<T>>();

  constructor(indexes: Indexes<T> = {}) {
    for (const [name, values] of Object.entries(indexes)) this.addIndex(name, values);
  }

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

  byIndex(index: string, value: string): Observed<T>[] {
    const found: Observed<T>[] = [];
    for (const key of this.#index(index).keys(value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  indexValues(index: string): IterableIterator<string> {
    return this.#index(index).values();
  }

  /** Adds an index at any time; what is there already is in it. */
  addIndex(name: string, values: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new Error(`Cannot add index "${name}": there is one of that name`);
    const index = new Index(values);
    for (const [key, object] of this.#objects) index.move(key, undefined, object);
    this.#indexes.set(name, index);
  }

  set(object: Observed<T>): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.move(key, old, object);
  }

  /** Forgets the object; tells whether it was there. */
  delete(key: string): boolean {
    const old = this.#objects.get(key);
    if (old === undefined) return false;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.move(key, old, undefined);
    return true;
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`Cannot look up by "${name}": there is no such index`);
    return index;
  }
}

/** One index: keys by value. A value with a single key, which is most of them in many indexes, needs no set. */
class Index<T extends KubernetesObject> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #keys = new Map<string, string | Set<string>>();

  constructor(valuesOf: IndexFunction<T>) {
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
    const before = old === undefined ? undefined : new Set(this.#valuesOf(old));
    const after = now === undefined ? undefined : new Set(this.#valuesOf(now));
    for (const value of before ?? []) if (after?.has(value) !== true) this.#remove(value, key);
    for (const value of after ?? []) if (before?.has(value) !== true) this.#add(value, key);
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
