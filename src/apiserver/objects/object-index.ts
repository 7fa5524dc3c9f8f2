import type { ApiObject } from '../../api/index.ts';
import type { ObjectDifference } from './change-feed.ts';

/**
 * The objects of one kind by keys that a function finds in them, such as the subjects of a role binding. Complete at once
 * where the store is in this process, and behind a write by no more than a turn of the event loop.
 */
export interface ObjectIndex<T> {
  /** The objects with this key, in no particular order. The same list until one of them changes. */
  get(key: string): readonly T[];
}

interface Bucket {
  readonly objects: Map<string, ApiObject>;
  list: readonly ApiObject[] | undefined;
}

const NONE: readonly ApiObject[] = [];

/** Keeps an index by taking in differences: each costs as much as the object has keys. */
export class IncrementalIndex implements ObjectIndex<ApiObject> {
  readonly #keysOf: (object: ApiObject) => readonly string[];
  readonly #buckets = new Map<string, Bucket>();

  constructor(keysOf: (object: ApiObject) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  get(key: string): readonly ApiObject[] {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? NONE : (bucket.list ??= [...bucket.objects.values()]);
  }

  readonly handler = ({ key, current, previous }: ObjectDifference<ApiObject>): void => {
    if (previous !== undefined) for (const each of this.#keysOf(previous)) this.#remove(each, key);
    if (current !== undefined) for (const each of this.#keysOf(current)) this.#add(each, key, current);
  };

  #add(indexKey: string, objectKey: string, object: ApiObject): void {
    const bucket = this.#buckets.get(indexKey) ?? { objects: new Map<string, ApiObject>(), list: undefined };
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
