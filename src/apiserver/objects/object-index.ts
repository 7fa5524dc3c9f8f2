import type { ObjectDifference } from './change-feed.ts';

/**
 * The objects of one kind by keys that a function finds in them, such as the subjects of a role binding. Complete at once
 * where the store is in this process, and behind a write by no more than a turn of the event loop.
 */
export interface ObjectIndex<T> {
  /** The objects with this key, in no particular order. The same list until one of them changes. */
  get(key: string): readonly T[];
}

interface Bucket<T> {
  readonly objects: Map<string, T>;
  list: readonly T[] | undefined;
}

const NONE: readonly never[] = [];

/** Keeps an index by taking in differences: each costs as much as the object has keys. */
export class IncrementalIndex<T> implements ObjectIndex<T> {
  readonly #keysOf: (object: T) => readonly string[];
  readonly #buckets = new Map<string, Bucket<T>>();

  constructor(keysOf: (object: T) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  get(key: string): readonly T[] {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? NONE : (bucket.list ??= [...bucket.objects.values()]);
  }

  readonly handler = ({ key, current, previous }: ObjectDifference<T>): void => {
    if (previous !== undefined) for (const each of this.#keysOf(previous)) this.#remove(each, key);
    if (current !== undefined) for (const each of this.#keysOf(current)) this.#add(each, key, current);
  };

  #add(indexKey: string, objectKey: string, object: T): void {
    const bucket = this.#buckets.get(indexKey) ?? { objects: new Map<string, T>(), list: undefined };
    bucket.objects.set(objectKey, object);
    bucket.list = undefined;
    this.#buckets.set(indexKey, bucket);
  }

  #remove(indexKey: string, objectKey: string): void {
    const bucket = this.#buckets.get(indexKey);
    if (bucket === undefined) return;
    bucket.objects.delete(objectKey);
    bucket.list = undefined;
    if (bucket.objects.size === 0) this.#buckets.delete(indexKey);
  }
}
