import type { ApiObject } from '../../api/index.ts';
import type { Clock, Logger } from '../../base/index.ts';
import { isStoreError, type KeyRange, type Operation, prefixRange, singleKey } from '../../store/index.ts';
import { type ObjectStore } from '../storage/object-store.ts';
import { isConflicting } from '../storage/put-conflict.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { ChangeFeed, type ObjectChangeHandler, type ObjectDifference } from './change-feed.ts';

/** Where the objects of a kind are stored. */
export interface ObjectPlace {
  readonly prefix: string;
  readonly isNamespaced: boolean;
  readonly objects: ObjectStore;
}

/**
 * The objects of one kind: in the stored version, with resourceVersion, frozen and shared by all readers of the same revision. The
 * namespace of cluster-scoped objects is empty.
 */
export class ObjectsOf<T = ApiObject> implements Disposable {
  readonly #name: string;
  readonly #options: { readonly clock: Clock; readonly log: Logger };
  readonly #indexes = new Map<string, IncrementalIndex<T>>();
  #known: ObjectPlace | undefined;
  #feed: ChangeFeed | undefined;

  constructor(name: string, options: { readonly clock: Clock; readonly log: Logger }) {
    this.#name = name;
    this.#options = options;
  }

  /** Sets where the objects are: undefined before the kind is registered and after it was withdrawn. Subscriptions follow. */
  place(place: ObjectPlace | undefined): void {
    if (place?.objects === this.#known?.objects) return;
    this.#known = place;
    this.#feed?.follow(place?.objects);
  }

  /**
   * The object from this process's copy of the store, synchronously. A mirror of etcd lags behind other servers' writes; throws a
   * `StoreError` with reason `Unavailable` when the store is in another process or still loading.
   */
  getNow(namespace: string, name: string): T | undefined {
    return this.#read(this.#place.objects.getNow(this.keyOf(namespace, name)));
  }

  /** All local objects, or those of a namespace, in the order of their keys; otherwise like `getNow`. */
  listNow(namespace = ''): readonly T[] {
    return this.#place.objects.listNow(this.#rangeOf(namespace)).objects.map(({ object }) => object as T);
  }

  /** The object from this process's copy of the store; undefined when it is missing or there is no copy. */
  atHand(namespace: string, name: string): T | undefined {
    try {
      return this.getNow(namespace, name);
    } catch (error) {
      if (isStoreError(error, 'Unavailable')) return undefined;
      throw error;
    }
  }

  /** The local object, or the store's when there is no local copy. Synchronous for a local copy. */
  get(namespace: string, name: string): T | undefined | Promise<T | undefined> {
    try {
      return this.getNow(namespace, name);
    } catch (error) {
      return fallBackToStore(error, () => this.newest(namespace, name));
    }
  }

  list(namespace = ''): readonly T[] | Promise<readonly T[]> {
    try {
      return this.listNow(namespace);
    } catch (error) {
      return fallBackToStore(error, () => this.newestList(namespace));
    }
  }

  /** The object from the store, including every server's writes before the call. */
  async newest(namespace: string, name: string): Promise<T | undefined> {
    return this.#read(await this.#place.objects.get(this.keyOf(namespace, name)));
  }

  async newestList(namespace = ''): Promise<readonly T[]> {
    const { objects } = await this.#place.objects.list(this.#rangeOf(namespace), {});
    return objects.map(({ object }) => object as T);
  }

  /** The object as soon as it exists; undefined when the signal aborts first. */
  async appearance(namespace: string, name: string, signal: AbortSignal): Promise<T | undefined> {
    const { objects } = this.#place;
    const from = (await objects.revision()) + 1;
    const found = await this.newest(namespace, name);
    if (found !== undefined) return found;
    for await (const { changes } of objects.watch(singleKey(this.keyOf(namespace, name)), { from, signal })) {
      const written = changes.findLast(({ current }) => current !== undefined);
      if (written !== undefined) return this.#read(written.current);
    }
    return undefined;
  }

  /** An index that follows all changes. Callers with the same name share it, and must pass the same function. */
  index(name: string, keysOf: (object: T) => readonly string[]): ObjectIndex<T> {
    let index = this.#indexes.get(name);
    if (index === undefined) {
      index = new IncrementalIndex(keysOf, this.#changeFeed());
      this.#indexes.set(name, index);
      this.onChange(index.handler);
    }
    return index;
  }

  /** Calls the handler with all existing objects and then with every change, until the result is disposed of. */
  onChange(handler: ObjectChangeHandler<T>): Disposable {
    return this.#changeFeed().add(handler as ObjectChangeHandler<unknown>);
  }

  /** The prefix of all keys of the kind; undefined while it is not registered. */
  get prefix(): string | undefined {
    return this.#known?.prefix;
  }

  /** The key in the store, for transactions. */
  keyOf(namespace: string, name: string): string {
    const { prefix, isNamespaced } = this.#place;
    return isNamespaced ? `${prefix}${namespace}/${name}` : prefix + name;
  }

  /** An operation that writes an object, for a transaction on other objects. */
  putting(key: string, object: ApiObject): Operation {
    return { type: 'put', key, value: this.#place.objects.encode(key, object) };
  }

  /** Replaces the object that was read; returns false when it has changed since. */
  async replace(key: string, read: ApiObject, object: ApiObject): Promise<boolean> {
    const { objects } = this.#place;
    const expected = await objects.get(key);
    if (expected?.object.metadata.resourceVersion !== read.metadata.resourceVersion) return false;
    const { resourceVersion: _, ...metadata } = object.metadata;
    return !isConflicting(await objects.put(key, { ...object, metadata }, { expected }));
  }

  /** Ends all subscriptions. */
  [Symbol.dispose](): void {
    this.#feed?.[Symbol.dispose]();
  }

  #changeFeed(): ChangeFeed {
    return (this.#feed ??= new ChangeFeed(this.#place.objects, this.#rangeOf(''), this.#options));
  }

  get #place(): ObjectPlace {
    if (this.#known === undefined) throw new Error(`Cannot look at "${this.#name}": no such kind is registered`);
    return this.#known;
  }

  #rangeOf(namespace: string): KeyRange {
    const { prefix } = this.#place;
    return prefixRange(namespace === '' ? prefix : `${prefix}${namespace}/`);
  }

  #read(stored: StoredObject | undefined): T | undefined {
    return stored?.object as T | undefined;
  }
}

/** Falls back to the store when there is no local copy; rejects with any other error. */
function fallBackToStore<R>(error: unknown, later: () => Promise<R>): Promise<R> {
  return isStoreError(error, 'Unavailable') ? later() : Promise.reject(error as Error);
}

/**
 * The objects of one kind by keys that a function computes, such as the subjects of a role binding. It is complete from the start when the
 * store is in this process, and follows writes within one turn of the event loop.
 */
export interface ObjectIndex<T> {
  /** The objects with this key, in no particular order; the same array until one of them changes. */
  get(key: string): readonly T[];
  /** False while a store in another process is still loading; a missing object then means nothing. */
  readonly isComplete: boolean;
  /** Resolves when the index is complete. */
  completed(): Promise<void>;
}

interface Bucket<T> {
  readonly objects: Map<string, T>;
  list: readonly T[] | undefined;
}

const NONE: readonly never[] = [];

/** An index that applies differences; each costs as much as the object has keys. */
class IncrementalIndex<T> implements ObjectIndex<T> {
  readonly #keysOf: (object: T) => readonly string[];
  readonly #buckets = new Map<string, Bucket<T>>();
  readonly #feed: Pick<ChangeFeed, 'isFilled' | 'filled'>;

  constructor(keysOf: (object: T) => readonly string[], feed: Pick<ChangeFeed, 'isFilled' | 'filled'>) {
    this.#keysOf = keysOf;
    this.#feed = feed;
  }

  get isComplete(): boolean {
    return this.#feed.isFilled;
  }

  completed(): Promise<void> {
    return this.#feed.filled();
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
