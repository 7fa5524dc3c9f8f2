import {
  type Handler,
  type HandlerRegistration,
  keyOf,
  type KubernetesObject,
  type Observed,
  type SharedInformer,
} from '../../client/index.ts';
import type { FreshCache } from '../cache/fresh-cache.ts';
import type { Subscription } from '../part.ts';
import type { RunTracker } from '../work/run-tracker.ts';

export interface PartHandlerOptions<T extends KubernetesObject> {
  /** Used in logs. */
  readonly name: string;
  readonly informer: SharedInformer<T>;
  /** Also reports objects that the app wrote and that came and went while the watch was interrupted. */
  readonly cache: FreshCache<T>;
  /** Records which change the handler is processing; default: not tracked. */
  readonly tracker?: RunTracker | undefined;
  /** The kind of the objects, for the tracker. */
  readonly kind: string;
  onDispose(): void;
}

/** A change handler of a part: receives changes once the part runs, including those that the watch has missed. */
export class PartHandler<T extends KubernetesObject> implements Subscription {
  readonly #handler: Handler<T>;
  readonly #options: PartHandlerOptions<T>;
  #registration: HandlerRegistration<T> | undefined;
  #vanished: Disposable | undefined;

  constructor(handler: Handler<T>, options: PartHandlerOptions<T>) {
    const { tracker, kind } = options;
    this.#handler = tracker === undefined ? handler : tracked(handler, kind, tracker);
    this.#options = options;
  }

  /** Changes that the handler has yet to receive. */
  get pending(): number {
    return this.#registration?.pending ?? 0;
  }

  start(): void {
    const { name, informer, cache } = this.#options;
    const registration = informer.addHandler(this.#handler, { name });
    this.#registration = registration;
    this.#vanished = cache.onVanished((object) =>
      registration.notify(keyOf(object), { type: 'delete', object, isFinalStateUnknown: true }),
    );
  }

  async synced(signal: AbortSignal): Promise<void> {
    await this.#registration?.synced(signal);
  }

  [Symbol.dispose](): void {
    this.#vanished?.[Symbol.dispose]();
    this.#registration?.[Symbol.dispose]();
    this.#options.onDispose();
  }
}

/** Wraps a handler so that the tracker knows which change it processes. */
function tracked<T extends KubernetesObject>(handler: Handler<T>, kind: string, tracker: RunTracker): Handler<T> {
  const tell = <R>(change: 'added' | 'changed' | 'deleted', object: Observed<T>, handle: () => R): R => {
    if (!tracker.isOn) return handle();
    const { resourceVersion = '' } = object.metadata;
    return tracker.telling({ type: 'change', kind, key: keyOf(object), change, resourceVersion }, handle);
  };
  return {
    add: (object, context) => tell('added', object, () => handler.add?.(object, context)),
    update: (object, old) => tell('changed', object, () => handler.update?.(object, old)),
    delete: (object, context) => tell('deleted', object, () => handler.delete?.(object, context)),
  };
}
