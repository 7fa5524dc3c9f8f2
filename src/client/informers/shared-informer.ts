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
  /** Changes objects before they are kept; by default it drops `managedFields`. */
  readonly transform?: Transform<T>;
}

/**
 * A cache of the objects of one resource, kept up to date by one watch, and any number of handlers that are told of changes.
 *
 * Objects are frozen, and share what is equal in them.
 *
 * Guarantees: when a handler is told of a change, the cache has it. Each handler is told of each change once, in order, on
 * its own queue. An object that was deleted and made again while we could not look is reported as deleted and added.
 */
export class SharedInformer<T extends KubernetesObject> implements Runnable {
  /** Names what is watched, such as `v1 pods`. */
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

  /** The objects. Empty until `synced`. */
  get cache(): IndexReader<T> {
    return this.#indexer;
  }

  get health(): ReflectorHealth {
    return this.#reflector.health;
  }

  /** Whether the cache has had the whole state once. Handlers may be behind: ask their registrations. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Resolves when the cache has the whole state. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.opened(signal);
  }

  /** Adds a handler, at any time: it is told of what is there already as if that had just been added. */
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

  /** Runs until the signal aborts and handlers have finished what they were at. Once only. */
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

  /** The source with objects as they will be kept: made small one by one, so that a large list never is large at once. */
  #compacted(source: ListWatcher<T>, transform: Transform<T>): ListWatcher<T> {
    const sharing = new StructureSharing();
    const compact = (object: Observed<T>): Observed<T> =>
      sharing.share(transform(object), this.#indexer.get(keyOf(object)));
    return mapObjects(source, compact);
  }

  /** What the reflector is told goes through the queue, which knows what is gone, and is in the cache at once. */
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
    if (old.metadata.resourceVersion === object.metadata.resourceVersion) return; // known: a state that was fetched again
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
