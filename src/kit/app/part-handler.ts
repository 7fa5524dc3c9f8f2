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
import type { RunCause, RunTracker } from '../work/run-tracker.ts';

export interface PartHandlerOptions<T extends KubernetesObject> {
  /** For logs. */
  readonly name: string;
  readonly informer: SharedInformer<T>;
  /** It knows of objects that were written by the app, and have come and gone without the informer's noticing. */
  readonly cache: FreshCache<T>;
  /** Learns which change the handler is being told of; default: not observed. */
  readonly tracker?: RunTracker | undefined;
  /** Of the objects, for the tracker. */
  readonly kind: string;
  onDispose(): void;
}

/** A handler of a part: told of changes from when the part runs, also of those that the watch has missed. */
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

  /** Changes that it is still to be told of. */
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

/** A handler during whose calls the tracker knows what it is told of. */
function tracked<T extends KubernetesObject>(handler: Handler<T>, kind: string, tracker: RunTracker): Handler<T> {
  const causeOf = (change: 'added' | 'changed' | 'deleted', object: Observed<T>): RunCause => {
    const { resourceVersion = '' } = object.metadata;
    return { type: 'change', kind, key: keyOf(object), change, resourceVersion };
  };
  return {
    add: (object, context) => tracker.telling(causeOf('added', object), () => handler.add?.(object, context)),
    update: (object, old) => tracker.telling(causeOf('changed', object), () => handler.update?.(object, old)),
    delete: (object, context) => tracker.telling(causeOf('deleted', object), () => handler.delete?.(object, context)),
  };
}
