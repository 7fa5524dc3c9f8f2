import { deepFreeze } from '../../base/index.ts';
import {
  type ApplyOptions,
  type CallOptions,
  type Client,
  type DeleteOptions,
  dropManagedFields,
  hasReason,
  type Index,
  type Kind,
  type KubernetesObject,
  type Observed,
  type Patch,
  type ResourceClient,
  type Sendable,
  splitKey,
  type Stored,
  type Tally,
  type WriteOptions,
} from '../../client/index.ts';
import { kindId } from '../kind-id.ts';
import type { CacheQuery, Objects } from '../objects.ts';
import { isGone } from './deleted-object.ts';
import type { FreshCache, GoneObject } from './fresh-cache.ts';

export interface FreshObjectsOptions<T extends KubernetesObject> {
  readonly client: Client;
  /** The default field manager. */
  readonly fieldManager: string;
  /** All caches that hold objects of the kind, this one included: each is updated with every write. */
  readonly caches: Iterable<FreshCache<T>>;
}

/** Reads from a cache, writes to the server, and updates the caches with every write at once. */
export class FreshObjects<T extends KubernetesObject> implements Objects<T> {
  readonly kind: Kind<T>;
  readonly #cache: FreshCache<T>;
  readonly #options: FreshObjectsOptions<T>;

  constructor(kind: Kind<T>, cache: FreshCache<T>, options: FreshObjectsOptions<T>) {
    this.kind = kind;
    this.#cache = cache;
    this.#options = options;
  }

  get(key: string): Observed<T> | undefined {
    return this.#cache.get(key);
  }

  list(query?: CacheQuery): Observed<T>[] {
    return this.#cache.list(query);
  }

  byIndex(index: Index<T>, value: string): Observed<T>[] {
    this.#check(index.kind, 'an index');
    return this.#cache.byIndex(index, value);
  }

  counts(tally: Tally<T>, value: string): ReadonlyMap<string, number> {
    this.#check(tally.kind, 'a tally');
    return this.#cache.counts(tally, value);
  }

  async fetch(key: string, options: CallOptions = {}): Promise<Observed<T> | undefined> {
    const { namespace, name } = splitKey(key);
    try {
      return (await this.#resource(namespace).get(name, readOnly(options))) as Observed<T>;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async create(object: Sendable<T>, options: WriteOptions = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().create(object, readOnly(options)), options);
  }

  async update(object: Sendable<T>, options: WriteOptions = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().update(object, readOnly(options)), options);
  }

  async updateStatus(object: Sendable<T>, options: WriteOptions = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().status.update(this.#complete(object), readOnly(options)), options);
  }

  async patch(key: string, patch: Patch, options: WriteOptions = {}): Promise<Observed<T>> {
    const { namespace, name } = splitKey(key);
    return this.#note(await this.#resource(namespace).patch(name, patch, readOnly(options)), options);
  }

  async patchStatus(key: string, patch: Patch, options: WriteOptions = {}): Promise<Observed<T>> {
    const { namespace, name } = splitKey(key);
    return this.#note(await this.#resource(namespace).status.patch(name, patch, readOnly(options)), options);
  }

  async apply(object: Sendable<T>, options: Partial<ApplyOptions> = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().apply(object, this.#applying(options)), options);
  }

  async applyStatus(object: Sendable<T>, options: Partial<ApplyOptions> = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().status.apply(object, this.#applying(options)), options);
  }

  async delete(key: string, options: DeleteOptions = {}): Promise<boolean> {
    const { namespace, name } = splitKey(key);
    const known = this.get(key)?.metadata;
    const { uid = known?.uid ?? '', resourceVersion: expected } = options.preconditions ?? {};
    const gone = { uid, resourceVersion: known?.resourceVersion ?? '', isCertain: true };
    try {
      const left = await this.#resource(namespace).delete(name, readOnly(options));
      if (options.dryRun === true) return true;
      if (left === undefined) this.#noteGone(key, gone);
      else if (isGone(left)) this.#noteGone(key, { ...left.metadata, isCertain: false });
      else this.#note(left, options);
      return true;
    } catch (error) {
      const isByUid = options.preconditions?.uid !== undefined && expected === undefined;
      const isAnother = isByUid && hasReason(error, 'Conflict');
      if (!isAnother && !hasReason(error, 'NotFound')) throw error;
      if (known !== undefined) this.#noteGone(key, gone);
      return false;
    }
  }

  #resource(namespace?: string): ResourceClient<T> {
    return this.#options.client.kindIn(this.kind, namespace);
  }

  #check(kind: Kind | undefined, what: string): void {
    if (kind !== undefined && kind !== this.kind && kindId(kind) !== kindId(this.kind))
      throw new Error(`Cannot look up ${kindId(this.kind)} by ${what} of ${kindId(kind)}`);
  }

  #complete(object: Sendable<T>): Sendable<T> {
    const { kind, apiVersion } = this.kind;
    return { kind, apiVersion, ...object };
  }

  #applying(options: Partial<ApplyOptions>): ApplyOptions {
    return { fieldManager: this.#options.fieldManager, force: true, ...options, isReadOnly: true };
  }

  /** Updates the caches with the server's answer, so that reads see it. */
  #note(object: Stored<T>, options: { readonly dryRun?: boolean }): Observed<T> {
    const observed = deepFreeze(dropManagedFields(object)) as Observed<T>;
    if (options.dryRun !== true) for (const cache of this.#options.caches) cache.see(observed);
    return observed;
  }

  #noteGone(key: string, gone: GoneObject): void {
    for (const cache of this.#options.caches) cache.seeGone(key, gone);
  }
}

/** Asks for a frozen answer, because caches share it. */
function readOnly<O extends CallOptions>(options: O): O {
  return Object.assign({}, options, { isReadOnly: true }); // faster than a spread
}
