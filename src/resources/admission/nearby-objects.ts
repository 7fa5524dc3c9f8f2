import type { ApiObject } from '../../api/index.ts';
import type { StorageCodec } from '../../apiserver/index.ts';
import { type Entry, type InProcessStore, isStoreError, prefixRange, type Store } from '../../store/index.ts';
import { storageOfKind } from '../other-objects.ts';
import type { AdmissionParts } from './admission-parts.ts';

export interface NearbyKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Its place in the store. */
  readonly folder: string;
}

/**
 * The stored objects of one kind for plugins that look at them on every write: read from this process where the store
 * has them there (then they may be a little behind what other servers write), and decoded once.
 */
export class NearbyObjects<T> {
  readonly store: Store;
  readonly #near: InProcessStore | undefined;
  readonly #prefix: string;
  readonly #codec: StorageCodec;
  readonly #decoded = new WeakMap<Uint8Array, ApiObject>();

  constructor({ store, types, codecFor }: Pick<AdmissionParts, 'store' | 'types' | 'codecFor'>, kind: NearbyKind) {
    const resource = storageOfKind(types, kind.folder, kind);
    this.store = store;
    this.#near = isInProcess(store) ? store : undefined;
    this.#prefix = resource.storage.prefix;
    this.#codec = codecFor(resource);
  }

  /** `path` is what follows the kind's prefix: a name, or `namespace/name`. */
  keyOf(path: string): string {
    return `${this.#prefix}${path}`;
  }

  /** What is at hand. */
  async get(path: string): Promise<T | undefined> {
    const key = this.keyOf(path);
    return this.#read(
      await this.#atHand(
        (near) => near.readNow(key),
        (store) => store.get(key),
      ),
    );
  }

  /** What the store has, wherever it is. */
  async getNewest(path: string): Promise<T | undefined> {
    return this.#read(await this.store.get(this.keyOf(path)));
  }

  /** All, or those whose path starts with `folder`, such as `namespace/`; in the order of their paths. */
  async list(folder = ''): Promise<readonly T[]> {
    const range = prefixRange(this.keyOf(folder));
    const { entries } = await this.#atHand(
      (near) => near.rangeNow(range),
      (store) => store.range(range),
    );
    return entries.map((entry) => this.#read(entry) as T);
  }

  /** What `now` gives, or `later` where nothing is at hand: the store is elsewhere, or what it keeps here is still on its way. */
  #atHand<R>(now: (near: InProcessStore) => R, later: (store: Store) => Promise<R>): R | Promise<R> {
    if (this.#near === undefined) return later(this.store);
    try {
      return now(this.#near);
    } catch (error) {
      if (isStoreError(error, 'Unavailable')) return later(this.store);
      throw error;
    }
  }

  #read(entry: Entry | undefined): T | undefined {
    if (entry === undefined) return undefined;
    let object = this.#decoded.get(entry.value);
    if (object === undefined) {
      object = this.#codec.decode(entry.value);
      this.#decoded.set(entry.value, object);
    }
    return object as T;
  }
}

function isInProcess(store: Store): store is InProcessStore {
  return typeof (store as Partial<InProcessStore>).readNow === 'function';
}
