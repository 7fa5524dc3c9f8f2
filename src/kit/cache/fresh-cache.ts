import { controllerOf } from '../../api/meaning/index.ts';
import type { Clock } from '../../base/index.ts';
import {
  byNamespace,
  type IndexFunction,
  type InformerScope,
  keyOf,
  type KubernetesObject,
  NAMESPACE_INDEX,
  type Observed,
  type SharedInformer,
} from '../../client/index.ts';
import type { CacheQuery } from '../objects.ts';
import { isEnded } from './deleted-object.ts';
import { LabelTests } from './label-test.ts';
import { scopeTest } from './scope-test.ts';
import { WriteOverlay } from './write-overlay.ts';

/** Objects by the uid of their controller; kept once somebody asks. */
const CONTROLLER_INDEX = 'keelson/controller';
/** What is written is looked at again after so long, in case that the watch has missed it. */
const SWEEP_MS = 10_000;

export interface FreshCacheOptions {
  readonly clock: Clock;
  /** Which objects the informer is about. */
  readonly scope?: InformerScope;
}

/** An object that is gone, with the last version that is known of it. */
export interface GoneObject {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The server said so; else it only seems so. */
  readonly isCertain: boolean;
}

/** Reading from an informer's cache, with what we know better on top of it until the watch has told of it. */
export class FreshCache<T extends KubernetesObject> implements Disposable {
  readonly #informer: SharedInformer<T>;
  readonly #clock: Clock;
  readonly #overlay: WriteOverlay<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>([[NAMESPACE_INDEX, byNamespace]]);
  readonly #labelTests = new LabelTests();
  readonly #isInScope: ((object: Observed<KubernetesObject>) => boolean) | undefined;
  readonly #vanished: ((object: Observed<T>) => void)[] = [];
  #sweep: Disposable | undefined;

  constructor(informer: SharedInformer<T>, options: FreshCacheOptions) {
    this.#informer = informer;
    this.#clock = options.clock;
    this.#isInScope = scopeTest(options.scope ?? {});
    this.#overlay = new WriteOverlay(informer, {
      onVanished: (object) => this.#vanished.forEach((listener) => listener(object)),
    });
    this.#overlay.addIndex(NAMESPACE_INDEX, byNamespace);
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
      throw new Error(`Cannot add index "${name}" of ${this.#informer.name}: another function has that name`);
    }
    this.#informer.addIndex(name, values);
    this.#overlay.addIndex(name, values);
    this.#indexes.set(name, values);
  }

  onVanished(listener: (object: Observed<T>) => void): void {
    this.#vanished.push(listener);
  }

  /** The server has answered with this state of an object. */
  see(object: Observed<T>): void {
    const key = keyOf(object);
    const isInScope = this.#isInScope?.(object as Observed<KubernetesObject>) ?? true;
    if (isInScope && !isEnded(object as Observed<KubernetesObject>)) this.#overlay.put(key, object);
    else if (this.get(key) !== undefined) this.#overlay.remove(key, { ...object.metadata, isCertain: false });
    this.#planSweep();
  }

  /** The server has answered that an object is gone. */
  seeGone(key: string, gone: GoneObject): void {
    if (this.get(key)?.metadata.uid !== gone.uid) return;
    this.#overlay.remove(key, gone);
    this.#planSweep();
  }

  [Symbol.dispose](): void {
    this.#sweep?.[Symbol.dispose]();
  }

  #planSweep(): void {
    if (this.#sweep !== undefined || this.#overlay.isEmpty) return;
    this.#sweep = this.#clock.timer(SWEEP_MS, () => {
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

function byController(object: Observed<KubernetesObject>): readonly string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner.uid];
}
