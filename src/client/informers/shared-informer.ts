import { type Clock, discardLogger, type Logger, millisecondsOf, type Runnable } from '../../base/index.ts';
import { keyOf, type KubernetesObject, type Observed } from '../kind.ts';
import { type Delta, DeltaFifo } from './delta-fifo.ts';
import { Gate } from './gate.ts';
import type { Notification } from './handler-inbox.ts';
import { type Handler, type HandlerOptions, HandlerRegistration } from './handler-registration.ts';
import { Indexer, type IndexReader } from './indexer.ts';
import { type ListWatcher, mapObjects } from './list-watcher.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorHealth, ReflectorOptions, ReflectorSink } from './reflector-options.ts';
import { StructureSharing } from './structure-sharing.ts';
import { dropManagedFields, type Transform } from './transform.ts';

export interface SharedInformerOptions<T extends KubernetesObject> extends ReflectorOptions {
  /** Changes objects before they are cached; by default it drops `managedFields`. */
  readonly transform?: Transform<T>;
}

/**
 * A cache of the objects of one resource, which one watch keeps up to date, and any number of handlers for changes.
 *
 * Objects are frozen and share equal parts.
 *
 * Guarantees: the cache has a change before any handler receives it. Each handler receives each change once, in order,
 * from its own queue. An object that was deleted and recreated during a gap is reported as deleted and added.
 */
export class SharedInformer<T extends KubernetesObject> implements Runnable {
  /** The watched resource, such as `v1 pods`. */
  readonly name: string;
  readonly #indexer = new Indexer<T>();
  readonly #fifo: DeltaFifo<T>;
  readonly #reflector: Reflector<T>;
  readonly #registrations = new Map<HandlerRegistration<T>, Disposable | undefined>();
  readonly #synced = new Gate();
  readonly #clock: Clock;
  readonly #log: Logger;
  #isStarted = false;

  constructor(source: ListWatcher<T>, options: SharedInformerOptions<T>) {
    this.name = options.name ?? 'objects';
    this.#clock = options.clock;
    this.#log = (options.log ?? discardLogger).with({ informer: this.name });
    this.#fifo = new DeltaFifo({ known: this.#indexer });
    this.#reflector = new Reflector(
      this.#compacted(source, options.transform ?? dropManagedFields),
      this.#sink(),
      options,
    );
  }

  /** The objects; empty until `synced`. */
  get cache(): IndexReader<T> {
    return this.#indexer;
  }

  get health(): ReflectorHealth {
    return this.#reflector.health;
  }

  /** Whether the cache has received the first list. Handlers may be behind: ask their registrations. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Resolves when the cache has received the first list. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.opened(signal);
  }

  /** Adds a handler, at any time. It first receives every cached object as an `add`. */
  addHandler(handler: Handler<T>, options: HandlerOptions = {}): HandlerRegistration<T> {
    const registration: HandlerRegistration<T> = new HandlerRegistration(handler, options, {
      log: this.#log,
      onDispose: () => {
        this.#registrations.get(registration)?.[Symbol.dispose]();
        this.#registrations.delete(registration);
      },
    });
    this.#registrations.set(registration, undefined);
    for (const object of this.#indexer.values()) {
      registration.notify(keyOf(object), { type: 'add', object, isInInitialList: true });
    }
    if (this.hasSynced) registration.endInitial();
    const { resyncPeriod } = options;
    if (resyncPeriod !== undefined) this.#planResync(registration, millisecondsOf(resyncPeriod));
    return registration;
  }

  /** Runs until the signal aborts and the handlers have finished their current calls. Can be called once. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) throw new Error('Cannot run an informer twice');
    this.#isStarted = true;
    try {
      await this.#reflector.run(signal);
    } finally {
      const registrations = [...this.#registrations.keys()];
      for (const registration of registrations) registration[Symbol.dispose]();
      await Promise.all(registrations.map((registration) => registration.idle()));
    }
  }

  /**
   * The source with transformed, shared objects: each is compacted as it arrives, so a large list is never whole in
   * memory uncompacted.
   */
  #compacted(source: ListWatcher<T>, transform: Transform<T>): ListWatcher<T> {
    const sharing = new StructureSharing();
    const compact = (object: Observed<T>): Observed<T> =>
      sharing.share(transform(object), this.#indexer.get(keyOf(object)));
    return mapObjects(source, compact);
  }

  /**
   * The reflector's sink: passes changes through the queue, which detects deletions, and applies them to the cache at
   * once.
   */
  #sink(): ReflectorSink<T> {
    const fifo = this.#fifo;
    const thenProcess = (): void => {
      for (let next = fifo.pop(); next !== undefined; next = fifo.pop()) {
        for (const delta of next.deltas) this.#process(next.key, delta);
      }
    };
    return {
      add: (object) => (fifo.add(object), thenProcess()),
      update: (object) => (fifo.update(object), thenProcess()),
      delete: (object) => (fifo.delete(object), thenProcess()),
      replace: (objects) => {
        fifo.replace(objects);
        thenProcess();
        if (!this.hasSynced) this.#becomeSynced();
      },
    };
  }

  #becomeSynced(): void {
    this.#synced.open();
    for (const registration of this.#registrations.keys()) registration.endInitial();
  }

  #process(key: string, delta: Delta<T>): void {
    const old = this.#indexer.get(key);
    if (delta.type === 'Deleted') {
      if (this.#indexer.delete(key)) this.#notify(key, { ...delta, type: 'delete' });
      return;
    }
    const { object } = delta;
    if (old === undefined) return this.#add(key, object);
    if (old.metadata.uid !== object.metadata.uid) {
      this.#indexer.delete(key);
      this.#notify(key, { type: 'delete', object: old, isFinalStateUnknown: true });
      return this.#add(key, object);
    }
    if (old.metadata.resourceVersion === object.metadata.resourceVersion) return; // unchanged: listed again
    this.#indexer.set(object);
    this.#notify(key, { type: 'update', object, old });
  }

  #add(key: string, object: Observed<T>): void {
    this.#indexer.set(object);
    this.#notify(key, { type: 'add', object, isInInitialList: !this.hasSynced });
  }

  #notify(key: string, notification: Notification<T>): void {
    for (const registration of this.#registrations.keys()) registration.notify(key, notification);
  }

  #planResync(registration: HandlerRegistration<T>, resyncMs: number): void {
    const resync = (): void => {
      if (!this.#registrations.has(registration)) return;
      this.#registrations.set(registration, this.#clock.timer(resyncMs, resync));
      for (const object of this.#indexer.values()) {
        registration.notify(keyOf(object), { type: 'update', object, old: object });
      }
    };
    this.#registrations.set(registration, this.#clock.timer(resyncMs, resync));
  }
}
