import type { Clock, Logger, MetricRegistry, Random } from '../../base/index.ts';
import {
  type Client,
  type IndexReader,
  InformerFactory,
  type InformerScope,
  type Kind,
  type KubernetesObject,
  type SharedInformer,
  WorkQueueMetrics,
} from '../../client/index.ts';
import { FreshCache } from '../cache/fresh-cache.ts';
import { FreshObjects } from '../cache/fresh-objects.ts';
import type { EventWriter } from '../events/event-writer.ts';
import type { EventRecorder } from '../events.ts';
import type { Objects } from '../objects.ts';
import type { AppContext } from '../part.ts';
import { kindId } from '../reconcile/declared-kinds.ts';
import { ReconcileMetrics } from '../reconcile/reconcile-metrics.ts';
import type { ReconcileRecord, TraceRing } from '../trace.ts';

export interface SharedResourcesOptions {
  readonly name: string;
  readonly component: string;
  readonly client: Client;
  readonly metrics: MetricRegistry;
  readonly events: EventWriter;
  readonly trace: TraceRing;
  readonly stopGraceMs: number;
}

/** A cache that holds all objects of a kind. */
export interface KindCache {
  readonly kind: Kind;
  readonly cache: IndexReader<KubernetesObject>;
}

/** What all parts of a running app share. */
export class SharedResources implements Disposable {
  readonly options: SharedResourcesOptions;
  readonly informers: InformerFactory;
  readonly queueMetrics: WorkQueueMetrics;
  readonly reconcileMetrics: ReconcileMetrics;
  readonly #whole = new Map<string, KindCache>();
  readonly #objects = new Map<SharedInformer<never>, Objects<never>>();
  readonly #caches = new Map<string, Set<FreshCache<never>>>();

  constructor(options: SharedResourcesOptions) {
    this.options = options;
    this.informers = new InformerFactory(options.client);
    this.queueMetrics = new WorkQueueMetrics(options.metrics);
    this.reconcileMetrics = new ReconcileMetrics(options.metrics, this.queueMetrics);
  }

  informer<T extends KubernetesObject>(kind: Kind<T>, scope: InformerScope): SharedInformer<T> {
    const { namespace, labelSelector, fieldSelector } = scope;
    const informer = this.informers.informer(kind, { namespace, labelSelector, fieldSelector });
    const isWhole = (namespace ?? labelSelector ?? fieldSelector) === undefined;
    if (isWhole) this.#whole.set(kindId(kind), { kind, cache: informer.cache as IndexReader<never> });
    return informer;
  }

  /** The caches that hold all objects of a kind. */
  get caches(): readonly KindCache[] {
    return [...this.#whole.values()];
  }

  objects<T extends KubernetesObject>(kind: Kind<T>, scope: InformerScope): Objects<T> {
    const informer = this.informer(kind, scope);
    const known = this.#objects.get(informer as never);
    if (known !== undefined) return known as unknown as Objects<T>;
    const { client, name: fieldManager } = this.options;
    const cache = new FreshCache(informer, { clock: client.clock, scope });
    const caches = this.#cachesOf(kind);
    caches.add(cache);
    const made = new FreshObjects(kind, cache, { client, fieldManager, caches });
    this.#objects.set(informer as never, made as never);
    return made;
  }

  [Symbol.dispose](): void {
    for (const caches of this.#caches.values()) for (const cache of caches) cache[Symbol.dispose]();
  }

  /** The caches of a kind: there may be several, of different scopes. */
  #cachesOf<T extends KubernetesObject>(kind: Kind<T>): Set<FreshCache<T>> {
    const id = kindId(kind);
    const caches = this.#caches.get(id) ?? new Set();
    this.#caches.set(id, caches);
    return caches as unknown as Set<FreshCache<T>>;
  }
}

/** What one part of an app has at hand. It knows which informers the part has asked for. */
export class PartContext implements AppContext {
  readonly name: string;
  readonly component: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  readonly queueMetrics: WorkQueueMetrics;
  readonly reconcileMetrics: ReconcileMetrics;
  readonly stopGraceMs: number;
  readonly informers = new Set<SharedInformer<never>>();
  readonly #shared: SharedResources;

  constructor(shared: SharedResources) {
    const { name, component, client, metrics, stopGraceMs } = shared.options;
    this.name = name;
    this.component = component;
    this.client = client;
    this.clock = client.clock;
    this.random = client.random;
    this.log = client.log;
    this.metrics = metrics;
    this.queueMetrics = shared.queueMetrics;
    this.reconcileMetrics = shared.reconcileMetrics;
    this.stopGraceMs = stopGraceMs;
    this.#shared = shared;
  }

  events(component: string, options: { readonly host?: string } = {}): EventRecorder {
    return this.#shared.options.events.recorder({ component, ...options });
  }

  trace(record: ReconcileRecord): void {
    this.#shared.options.trace.push(record);
  }

  objects<T extends KubernetesObject>(kind: Kind<T>, scope: InformerScope = {}): Objects<T> {
    this.informer(kind, scope);
    return this.#shared.objects(kind, scope);
  }

  informer<T extends KubernetesObject>(kind: Kind<T>, scope: InformerScope = {}): SharedInformer<T> {
    const informer = this.#shared.informer(kind, scope);
    this.informers.add(informer as unknown as SharedInformer<never>);
    return informer;
  }
}
