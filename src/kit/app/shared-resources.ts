import type { MetricRegistry } from '../../base/index.ts';
import {
  type Client,
  type IndexReader,
  InformerFactory,
  type ObjectSelection,
  type Kind,
  type KubernetesObject,
  type SharedInformer,
} from '../../client/index.ts';
import { FreshCache } from '../cache/fresh-cache.ts';
import { FreshObjects } from '../cache/fresh-objects.ts';
import type { EventWriter } from '../events/event-writer.ts';
import { kindId } from '../kind-id.ts';
import type { Objects } from '../objects.ts';
import type { TraceRing } from '../trace.ts';
import type { RunTracker } from '../work/run-tracker.ts';
import { WorkMetrics } from '../work/work-metrics.ts';

export interface SharedResourcesOptions {
  readonly name: string;
  readonly component: string;
  readonly client: Client;
  readonly clientFor?: (writer: string) => Client | undefined;
  readonly metrics: MetricRegistry;
  readonly events: EventWriter;
  readonly trace: Pick<TraceRing, 'push'>;
  readonly stopGraceMs: number;
  readonly tracker?: RunTracker | undefined;
}

/** A cache that holds all objects of a kind. */
export interface KindCache {
  readonly kind: Kind;
  readonly cache: IndexReader<KubernetesObject>;
}

interface SharedObjects<T extends KubernetesObject> {
  readonly cache: FreshCache<T>;
  /** The same objects, by the client that writes them. */
  readonly writers: Map<Client, Objects<T>>;
}

/** What all parts of a running app share. */
export class SharedResources implements Disposable {
  readonly options: SharedResourcesOptions;
  readonly informers: InformerFactory;
  readonly workMetrics: WorkMetrics;
  readonly #whole = new Map<string, KindCache>();
  readonly #objects = new Map<SharedInformer<never>, SharedObjects<never>>();
  readonly #caches = new Map<string, Set<FreshCache<never>>>();

  constructor(options: SharedResourcesOptions) {
    this.options = options;
    this.informers = new InformerFactory(options.client);
    this.workMetrics = new WorkMetrics(options.metrics);
  }

  informer<T extends KubernetesObject>(kind: Kind<T>, where: ObjectSelection): SharedInformer<T> {
    const { namespace, labelSelector, fieldSelector } = where;
    const informer = this.informers.informer(kind, { namespace, labelSelector, fieldSelector });
    const isWhole = (namespace ?? labelSelector ?? fieldSelector) === undefined;
    if (isWhole) this.#whole.set(kindId(kind), { kind, cache: informer.cache as IndexReader<never> });
    return informer;
  }

  /** The caches that hold all objects of a kind. */
  get caches(): readonly KindCache[] {
    return [...this.#whole.values()];
  }

  /** The client of the given writer. */
  clientOf(writer: string): Client {
    return this.options.clientFor?.(writer) ?? this.options.client;
  }

  /** The objects of a kind, to be written with the given client. */
  objects<T extends KubernetesObject>(kind: Kind<T>, where: ObjectSelection, client: Client): Objects<T> {
    const { cache, writers } = this.#shared(kind, where);
    let objects = writers.get(client);
    if (objects === undefined) {
      objects = new FreshObjects(kind, cache, {
        client,
        fieldManager: this.options.name,
        caches: this.#cachesOf(kind),
      });
      writers.set(client, objects);
    }
    return objects;
  }

  /** The cache below the objects: the informer's, with the app's own writes on top. */
  cache<T extends KubernetesObject>(kind: Kind<T>, where: ObjectSelection): FreshCache<T> {
    return this.#shared(kind, where).cache;
  }

  #shared<T extends KubernetesObject>(kind: Kind<T>, where: ObjectSelection): SharedObjects<T> {
    const informer = this.informer(kind, where);
    const known = this.#objects.get(informer as never);
    if (known !== undefined) return known as unknown as SharedObjects<T>;
    const cache = new FreshCache(informer, { clock: this.options.client.clock, where });
    this.#cachesOf(kind).add(cache);
    const made: SharedObjects<T> = { cache, writers: new Map() };
    this.#objects.set(informer as never, made as never);
    return made;
  }

  [Symbol.dispose](): void {
    for (const caches of this.#caches.values()) for (const cache of caches) cache[Symbol.dispose]();
  }

  /** The caches of a kind, one for each scope. */
  #cachesOf<T extends KubernetesObject>(kind: Kind<T>): Set<FreshCache<T>> {
    const id = kindId(kind);
    const caches = this.#caches.get(id) ?? new Set();
    this.#caches.set(id, caches);
    return caches as unknown as Set<FreshCache<T>>;
  }
}
