import type { Clock } from '../../base/index.ts';
import {
  byNamespace,
  countedWith,
  type Index,
  type ObjectSelection,
  keyOf,
  type KubernetesObject,
  type Observed,
  type SharedInformer,
  type Tally,
} from '../../client/index.ts';
import type { CacheQuery } from '../objects.ts';
import { isEnded } from './deleted-object.ts';
import { LabelTests } from './label-test.ts';
import { selectionTest } from './selection-test.ts';
import { WriteOverlay } from './write-overlay.ts';

/** Objects by the uid of their controller. */
const byController: Index<KubernetesObject> = {
  kind: undefined,
  valuesOf: ({ metadata }) => metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid,
};
/** How often own writes are checked against the cache, in case the watch has missed them. */
const SWEEP_MS = 10_000;

export interface FreshCacheOptions {
  readonly clock: Clock;
  /** Which objects the informer watches. */
  readonly where?: ObjectSelection;
}

interface Lookup<T extends KubernetesObject> {
  readonly index: Index<T>;
  readonly value: string;
}

/** A deleted object, with its last known version. */
export interface GoneObject {
  readonly uid: string;
  readonly resourceVersion: string;
  /** True if the server said so; false if it only appears to be gone. */
  readonly isCertain: boolean;
}

/** Reads from an informer's cache, with the app's own writes on top until the watch has delivered them. */
export class FreshCache<T extends KubernetesObject> implements Disposable {
  readonly #informer: SharedInformer<T>;
  readonly #clock: Clock;
  readonly #overlay: WriteOverlay<T>;
  readonly #labelTests = new LabelTests();
  readonly #isInScope: ((object: Observed<KubernetesObject>) => boolean) | undefined;
  readonly #vanished = new Set<(object: Observed<T>) => void>();
  #sweep: Disposable | undefined;

  constructor(informer: SharedInformer<T>, options: FreshCacheOptions) {
    this.#informer = informer;
    this.#clock = options.clock;
    this.#isInScope = selectionTest(options.where ?? {});
    this.#overlay = new WriteOverlay(informer, {
      onVanished: (object) => this.#vanished.forEach((listener) => listener(object)),
    });
  }

  get(key: string): Observed<T> | undefined {
    const cached = this.#informer.cache.get(key);
    return this.#overlay.isEmpty ? cached : this.#overlay.resolve(key, cached);
  }

  list(query: CacheQuery = {}): Observed<T>[] {
    const found = this.#found(query);
    if (query.labelSelector === undefined) return found;
    const test = this.#labelTests.of(query.labelSelector);
    return found.filter(({ metadata }) => test(metadata.labels));
  }

  byIndex(index: Index<T>, value: string): Observed<T>[] {
    return this.#freshen(this.#informer.cache.byIndex(index, value), { index, value });
  }

  counts(tally: Tally<T>, value: string): ReadonlyMap<string, number> {
    const { cache } = this.#informer;
    const counted = cache.counts(tally, value);
    return this.#overlay.isEmpty ? counted : countedWith(counted, this.#overlay.changes(), { tally, value });
  }

  /**
   * Reports objects that the app created and that disappeared while the watch was interrupted, which no handler of the
   * informer receives. May also report one that handlers did receive.
   */
  onVanished(listener: (object: Observed<T>) => void): Disposable {
    this.#vanished.add(listener);
    return { [Symbol.dispose]: () => void this.#vanished.delete(listener) };
  }

  /** Records this state of an object, which the server has answered with. */
  see(object: Observed<T>): void {
    const key = keyOf(object);
    const isInScope = this.#isInScope?.(object as Observed<KubernetesObject>) ?? true;
    if (isInScope && !isEnded(object as Observed<KubernetesObject>)) this.#overlay.put(key, object);
    else if (this.get(key) !== undefined) this.#overlay.remove(key, { ...object.metadata, isCertain: false });
    this.#planSweep();
  }

  /** Records that an object is gone, as the server has answered. */
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

  #found({ namespace, controlledBy }: CacheQuery): Observed<T>[] {
    if (controlledBy !== undefined) {
      const own = this.byIndex(byController, controlledBy);
      return namespace === undefined ? own : own.filter(({ metadata }) => metadata.namespace === namespace);
    }
    return namespace === undefined ? this.#freshen(this.#informer.cache.list()) : this.byIndex(byNamespace, namespace);
  }

  /** The cached objects, updated by newer own writes, and with the objects that the cache lacks. */
  #freshen(cached: Observed<T>[], lookup?: Lookup<T>): Observed<T>[] {
    if (this.#overlay.isEmpty) return cached;
    const fresh = cached.filter((object) => this.#overlay.resolve(keyOf(object), object) === object);
    for (const object of this.#overlay.objects(lookup)) {
      const key = keyOf(object);
      if (this.#overlay.resolve(key, this.#informer.cache.get(key)) === object) fresh.push(object);
    }
    return fresh;
  }
}
