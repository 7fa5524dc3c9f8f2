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

/** As much of a resource as its objects in the store depend on; kinds that are stored and not served have no more. */
export type StoredKind = Pick<Resource, 'group' | 'plural' | 'namespaced' | 'storage' | 'capabilities'>;

export interface ServerObjectsOptions {
  readonly store: Store;
  readonly codecFor: (kind: StoredKind) => StorageCodec;
  /** What stands between the objects of a kind and the store, if anything does. */
  readonly transformerFor?: (kind: Pick<StoredKind, 'group' | 'plural'>) => ValueTransformer | undefined;
  /** What has been made of the stored bytes; servers whose stores are forks of each other share it. */
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
 * The objects of all kinds, for whatever in the server looks at them: verbs, admission, authorization, kinds that depend on
 * other kinds. Kinds may be asked for before they are registered, and used once they are.
 */
export class ServerObjects implements Disposable {
  readonly store: Store;
  readonly #options: ServerObjectsOptions;
  readonly #views = new Map<string, ObjectsOf>();
  /** By prefix in the store: versions and groups that serve the same objects share them. */
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

  /** The object that an entry of the store stands for, in the stored version, where somebody has read or written it. */
  known({ key, value }: Pick<Entry, 'key' | 'value'>): ApiObject | undefined {
    for (let end = key.lastIndexOf('/'); end >= 0; end = key.lastIndexOf('/', end - 1)) {
      const found = this.#stores.get(key.slice(0, end + 1));
      if (found !== undefined) return found.objects.known(value)?.object;
    }
    return undefined;
  }

  /** Registers where the objects of a kind are, whether or not it is served; once for each version. */
  register(kind: StoredKind): ObjectStore {
    const { prefix } = kind.storage;
    let known = this.#stores.get(prefix);
    if (known === undefined) {
      // What was made of custom objects is not kept for the next definition of their kind, which may read them otherwise.
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

  /** Takes one registration back. The last one leaves nothing to be looked at, until the kind is registered again. */
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
