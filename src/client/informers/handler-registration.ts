import { type Duration, type Logger, nextTurn } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import { Gate } from './gate.ts';
import { HandlerInbox, type Notification } from './handler-inbox.ts';

/** Callbacks for changes of objects. Calls never overlap: the next one waits until the last promise has settled. */
export interface Handler<T extends KubernetesObject> {
  /** `isInInitialList`: the object existed when the informer started. */
  add?(object: Observed<T>, context: { readonly isInInitialList: boolean }): void | Promise<void>;
  /** In a resync, `object` and `old` are the same object. */
  update?(object: Observed<T>, old: Observed<T>): void | Promise<void>;
  /**
   * `isFinalStateUnknown`: the informer missed the deletion and noticed it later; `object` is the last state it saw.
   */
  delete?(object: Observed<T>, context: { readonly isFinalStateUnknown: boolean }): void | Promise<void>;
}

export interface HandlerOptions {
  /** For logs. */
  readonly name?: string;
  /** Reports every object again, as an update, at this interval. Default: never. */
  readonly resyncPeriod?: Duration;
  /** Beyond this many notifications, those about the same object are merged; default 10,000. */
  readonly capacity?: number;
}

const DEFAULT_CAPACITY = 10_000;
/** After this many notifications the event loop gets a turn, even if the handler never waits. */
const TURN = 256;

/**
 * A handler of a shared informer. It has its own queue, so a slow handler does not hold up the others. Disposing
 * removes it.
 */
export class HandlerRegistration<T extends KubernetesObject> implements Disposable {
  readonly #handler: Handler<T>;
  readonly #log: Logger;
  readonly #inbox: HandlerInbox<T>;
  readonly #onDispose: () => void;
  readonly #synced = new Gate();
  /** The number of notifications about the initial state that are still to be delivered. */
  #untilSynced: number | undefined;
  #draining: Promise<void> | undefined;
  #isDisposed = false;

  constructor(
    handler: Handler<T>,
    options: HandlerOptions,
    parts: { readonly log: Logger; readonly onDispose: () => void },
  ) {
    this.#handler = handler;
    this.#log = parts.log.with({ handler: options.name ?? 'unnamed' });
    this.#inbox = new HandlerInbox(options.capacity ?? DEFAULT_CAPACITY);
    this.#onDispose = parts.onDispose;
  }

  /** The number of waiting notifications. */
  get pending(): number {
    return this.#inbox.size;
  }

  /** Whether the handler has received the whole initial state. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Resolves when the handler has received the whole initial state. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.opened(signal);
  }

  /** Resolves when no notification waits and the handler is not running. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  /** For the informer: queues a change. */
  notify(key: string, notification: Notification<T>): void {
    if (this.#isDisposed) return;
    this.#inbox.push(key, notification);
    this.#draining ??= this.#drain();
  }

  /** For the informer: marks the notifications so far as the initial state. */
  endInitial(): void {
    this.#untilSynced = this.#inbox.size;
    if (this.#untilSynced === 0 && this.#draining === undefined) this.#synced.open();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#inbox.clear();
    this.#onDispose();
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // let the caller of `notify` finish first
    let delivered = 0;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      const delivery = this.#deliver(next);
      if (delivery !== undefined) await delivery; // most handlers are synchronous
      if (this.#untilSynced !== undefined) this.#untilSynced -= 1;
      this.#checkSynced();
      if (++delivered % TURN === 0) await nextTurn();
    }
    this.#draining = undefined;
    this.#checkSynced();
  }

  #checkSynced(): void {
    const isThrough = this.#untilSynced !== undefined && (this.#untilSynced <= 0 || this.#inbox.size === 0);
    if (isThrough) this.#synced.open();
  }

  #deliver(notification: Notification<T>): void | Promise<void> {
    const failed = (error: unknown): void =>
      this.#log.error('handler failed', {
        error,
        notification: notification.type,
        object: notification.object.metadata.name,
      });
    try {
      const delivery = this.#call(notification);
      return delivery instanceof Promise ? delivery.catch(failed) : undefined;
    } catch (error) {
      failed(error);
    }
  }

  #call(notification: Notification<T>): void | Promise<void> {
    switch (notification.type) {
      case 'add':
        return this.#handler.add?.(notification.object, notification);
      case 'update':
        return this.#handler.update?.(notification.object, notification.old);
      case 'delete':
        return this.#handler.delete?.(notification.object, notification);
    }
  }
}
