import { deepFreeze } from '../../base/index.ts';
import {
  type ApplyOptions,
  byNamespace,
  type CallOptions,
  type Client,
  type DeleteOptions,
  dropManagedFields,
  hasReason,
  type IndexFunction,
  type InformerScope,
  keyOf,
  type Kind,
  type KubernetesObject,
  NAMESPACE_INDEX,
  type Observed,
  type Patch,
  type ResourceClient,
  type Sendable,
  type SharedInformer,
  splitKey,
  type Stored,
  type WriteOptions,
} from '../../client/index.ts';
import type { CacheQuery, Objects } from '../objects.ts';
import { isGone } from './deleted-object.ts';
import { LabelTests } from './label-test.ts';
import { scopeTest } from './scope-test.ts';
import { WriteOverlay } from './write-overlay.ts';

/** Objects by the uid of their controller; kept once somebody asks. */
const CONTROLLER_INDEX = 'keelson/controller';

export interface FreshObjectsOptions {
  readonly client: Client;
  /** Which objects the informer is about. */
  readonly scope: InformerScope;
  /** Who applies, unless a call says otherwise. */
  readonly fieldManager: string;
}

/** What is written is looked at again after so long, in case that the watch has missed it. */
const SWEEP_MS = 10_000;

/** The objects of an informer's cache, with what was written through here on top of it as long as it is newer. */
export class FreshObjects<T extends KubernetesObject> implements Objects<T>, Disposable {
  readonly kind: Kind<T>;
  readonly #informer: SharedInformer<T>;
  readonly #options: FreshObjectsOptions;
  readonly #overlay: WriteOverlay<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>([[NAMESPACE_INDEX, byNamespace]]);
  readonly #labelTests = new LabelTests();
  readonly #vanished: ((object: Observed<T>) => void)[] = [];
  #sweep: Disposable | undefined;
  readonly #isInScope: ((object: Observed<KubernetesObject>) => boolean) | undefined;

  constructor(kind: Kind<T>, informer: SharedInformer<T>, options: FreshObjectsOptions) {
    this.kind = kind;
    this.#informer = informer;
    this.#options = options;
    this.#overlay = new WriteOverlay(informer, {
      onVanished: (object) => this.#vanished.forEach((listener) => listener(object)),
    });
    this.#overlay.addIndex(NAMESPACE_INDEX, byNamespace);
    this.#isInScope = scopeTest(options.scope);
  }

  get(key: string): Observed<T> | undefined {
    const cached = this.#informer.cache.get(key);
    return this.#overlay.isEmpty ? cached : this.#overlay.resolve(key, cached);
  }

  list(query: CacheQuery = {}): Observed<T>[] {
    const lookup = this.#lookup(query);
    const cached =
      lookup === undefined ? this.#informer.cache.list() : this.#informer.cache.byIndex(lookup.name, lookup.value);
    const found = this.#overlay.isEmpty ? cached : this.#freshen(cached, lookup);
    const conditions = this.#conditions(query, lookup);
    return conditions.length === 0 ? found : found.filter((object) => conditions.every((holds) => holds(object)));
  }

  addIndex(name: string, values: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known === values) return;
    if (known !== undefined) {
      throw new Error(`Cannot add index "${name}" of ${this.kind.plural}: another function has that name`);
    }
    this.#informer.addIndex(name, values);
    this.#overlay.addIndex(name, values);
    this.#indexes.set(name, values);
  }

  onVanished(listener: (object: Observed<T>) => void): void {
    this.#vanished.push(listener);
  }

  [Symbol.dispose](): void {
    this.#sweep?.[Symbol.dispose]();
  }

  async fetch(key: string, options: CallOptions = {}): Promise<Stored<T> | undefined> {
    const { namespace, name } = splitKey(key);
    try {
      return await this.#resource(namespace).get(name, options);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async create(object: Sendable<T>, options: WriteOptions = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().create(object, options), options);
  }

  async update(object: Sendable<T>, options: WriteOptions = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().update(object, options), options);
  }

  async updateStatus(object: Sendable<T>, options: WriteOptions = {}): Promise<Observed<T>> {
    return this.#note(await this.#resource().status.update(this.#complete(object), options), options);
  }

  async patch(key: string, patch: Patch, options: WriteOptions = {}): Promise<Observed<T>> {
    const { namespace, name } = splitKey(key);
    return this.#note(await this.#resource(namespace).patch(name, patch, options), options);
  }

  async patchStatus(key: string, patch: Patch, options: WriteOptions = {}): Promise<Observed<T>> {
    const { namespace, name } = splitKey(key);
    return this.#note(await this.#resource(namespace).status.patch(name, patch, options), options);
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
    const { uid = known?.uid, resourceVersion: expected } = options.preconditions ?? {};
    const last = { uid: uid ?? '', resourceVersion: known?.resourceVersion ?? '' };
    try {
      const left = await this.#resource(namespace).delete(name, options);
      if (options.dryRun === true) return true;
      if (left === undefined) this.#overlay.remove(key, { ...last, isCertain: true });
      else if (isGone(left)) this.#overlay.remove(key, { ...left.metadata, isCertain: false });
      else this.#note(left, options);
      return true;
    } catch (error) {
      const isOther =
        hasReason(error, 'Conflict') && options.preconditions?.uid !== undefined && expected === undefined;
      if (!isOther && !hasReason(error, 'NotFound')) throw error;
      if (known?.uid === uid) this.#overlay.remove(key, { ...last, isCertain: true });
      return false;
    }
  }

  #resource(namespace?: string): ResourceClient<T> {
    return this.#options.client.kindIn(this.kind, namespace);
  }

  #complete(object: Sendable<T>): Sendable<T> {
    const { kind, apiVersion } = this.kind;
    return { kind, apiVersion, ...object };
  }

  #applying(options: Partial<ApplyOptions>): ApplyOptions {
    return { fieldManager: this.#options.fieldManager, force: true, ...options };
  }

  /** Remembers what the server answered, so that reads see it. */
  #note(object: Stored<T>, options: { readonly dryRun?: boolean }): Observed<T> {
    const observed = deepFreeze(dropManagedFields(object)) as Observed<T>;
    if (options.dryRun === true) return observed;
    const key = keyOf(observed);
    const isInScope = this.#isInScope?.(observed as Observed<KubernetesObject>) ?? true;
    const hasEnded = object.metadata.deletionTimestamp !== undefined && isGone(object); // that was its last finalizer
    if (isInScope && !hasEnded) this.#overlay.put(key, observed);
    else if (this.get(key) !== undefined) this.#overlay.remove(key, { ...observed.metadata, isCertain: false });
    this.#planSweep();
    return observed;
  }

  #planSweep(): void {
    if (this.#sweep !== undefined || this.#overlay.isEmpty) return;
    this.#sweep = this.#options.client.clock.timer(SWEEP_MS, () => {
      this.#sweep = undefined;
      this.#overlay.sweep();
      this.#planSweep();
    });
  }

  /** The cached objects with newer states in their places, and with those that the cache does not have. */
  #freshen(cached: readonly Observed<T>[], lookup: CacheQuery['index']): Observed<T>[] {
    const fresh = cached.filter((object) => this.#overlay.resolve(keyOf(object), object) === object);
    for (const object of this.#overlay.objects(lookup)) {
      const key = keyOf(object);
      if (this.#overlay.resolve(key, this.#informer.cache.get(key)) === object) fresh.push(object);
    }
    return fresh;
  }

  /** The index that leaves the fewest to look at. */
  #lookup({ namespace, controlledBy, index }: CacheQuery): CacheQuery['index'] {
    if (controlledBy !== undefined) {
      this.addIndex(CONTROLLER_INDEX, byController);
      return { name: CONTROLLER_INDEX, value: controlledBy };
    }
    if (index !== undefined) return index;
    return namespace === undefined ? undefined : { name: NAMESPACE_INDEX, value: namespace };
  }

  /** What the look-up has not settled. */
  #conditions(query: CacheQuery, lookup: CacheQuery['index']): ((object: Observed<T>) => boolean)[] {
    const { namespace, labelSelector, index } = query;
    const conditions: ((object: Observed<T>) => boolean)[] = [];
    if (namespace !== undefined && lookup?.name !== NAMESPACE_INDEX) {
      conditions.push(({ metadata }) => metadata.namespace === namespace);
    }
    if (labelSelector !== undefined) {
      const test = this.#labelTests.of(labelSelector);
      conditions.push(({ metadata }) => test(metadata.labels));
    }
    if (index !== undefined && lookup !== index) {
      const values = this.#indexes.get(index.name);
      if (values === undefined) throw new Error(`Cannot look up by "${index.name}": there is no such index`);
      conditions.push((object) => [...values(object)].includes(index.value));
    }
    return conditions;
  }
}

function byController({ metadata }: Observed<KubernetesObject>): readonly string[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner === undefined ? [] : [owner.uid];
}
