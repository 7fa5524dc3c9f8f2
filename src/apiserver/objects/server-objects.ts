import type { ApiObject } from '../../api/index.ts';
import type { Clock, Logger } from '../../base/index.ts';
import type { Entry, Store } from '../../store/index.ts';
import type { StorageMetrics } from '../metrics/storage-metrics.ts';
import type { Resource } from '../resource.ts';
import { KeptForms } from '../storage/kept-forms.ts';
import { ObjectStore, type SharedObjects } from '../storage/object-store.ts';
import type { StorageCodec } from '../storage/storage-codec.ts';
import type { ValueTransformer } from '../storage/value-transformer.ts';
import { ObjectsOf } from './objects-of.ts';

/** The part of a resource that its stored objects depend on; kinds that are stored but not served have only this. */
export type StoredKind = Pick<Resource, 'group' | 'plural' | 'namespaced' | 'storage' | 'capabilities'>;

export interface ServerObjectsOptions {
  readonly store: Store;
  readonly codecFor: (kind: StoredKind) => StorageCodec;
  /** The transformer between the objects of a kind and the store, such as encryption; default none. */
  readonly transformerFor?: (kind: Pick<StoredKind, 'group' | 'plural'>) => ValueTransformer | undefined;
  /** The decoded forms of stored bytes; servers whose stores are forks of each other share them. */
  readonly shared?: SharedObjects;
  readonly metrics?: StorageMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

interface SharedStore {
  readonly objects: ObjectStore;
  users: number;
}

/**
 * The objects of all kinds, for every component of the server that reads them: verbs, admission, authorization, kinds that depend on other
 * kinds. A kind can be requested before it is registered, and used once it is.
 */
export class ServerObjects implements Disposable {
  readonly store: Store;
  readonly #options: ServerObjectsOptions;
  readonly #views = new Map<string, ObjectsOf>();
  /** By prefix in the store: versions and groups that serve the same objects share a store. */
  readonly #stores = new Map<string, SharedStore>();
  readonly #forms = new KeptForms();

  constructor(options: ServerObjectsOptions) {
    this.store = options.store;
    this.#options = options;
  }

  /** The objects of one kind, in the stored version. */
  of<T = ApiObject>(group: string, plural: string): ObjectsOf<T> {
    return this.#view(group, plural) as ObjectsOf<unknown> as ObjectsOf<T>;
  }

  /** The object of a store's entry, in the stored version, if it has been read or written in this process. */
  known({ key, value }: Pick<Entry, 'key' | 'value'>): ApiObject | undefined {
    for (let end = key.lastIndexOf('/'); end >= 0; end = key.lastIndexOf('/', end - 1)) {
      const found = this.#stores.get(key.slice(0, end + 1));
      if (found !== undefined) return found.objects.known(value)?.object;
    }
    return undefined;
  }

  /** Registers where the objects of a kind are stored, whether or not it is served; once for each version. */
  register(kind: StoredKind): ObjectStore {
    const { prefix } = kind.storage;
    let known = this.#stores.get(prefix);
    if (known === undefined) {
      // The decoded forms of custom objects are not shared, because the next definition of their kind may decode them differently.
      const shared = kind.capabilities.objects === 'structured' ? this.#options.shared : undefined;
      const metrics = this.#options.metrics?.of(kind);
      const transformer = this.#options.transformerFor?.(kind);
      const codec = this.#options.codecFor(kind);
      const options = { shared, forms: this.#forms, metrics, transformer };
      known = { objects: new ObjectStore(this.store, codec, options), users: 0 };
      this.#stores.set(prefix, known);
    }
    known.users += 1;
    this.#view(kind.group, kind.plural).place({ prefix, isNamespaced: kind.namespaced, objects: known.objects });
    return known.objects;
  }

  /** Reverts one registration. After the last one, the kind has no objects until it is registered again. */
  withdraw({ group, plural, storage }: StoredKind): void {
    const known = this.#stores.get(storage.prefix);
    if (known === undefined || (known.users -= 1) > 0) return;
    this.#stores.delete(storage.prefix);
    this.#view(group, plural).place(undefined);
  }

  /** Ends all subscriptions to changes. */
  [Symbol.dispose](): void {
    for (const view of this.#views.values()) view[Symbol.dispose]();
    this.#forms[Symbol.dispose]();
  }

  #view(group: string, plural: string): ObjectsOf {
    const name = `${plural}.${group}`;
    let view = this.#views.get(name);
    if (view === undefined) {
      view = new ObjectsOf(name, this.#options);
      this.#views.set(name, view);
    }
    return view;
  }
}
