import type { Clock, Logger } from '../../base/index.ts';
import { isStoreError, type KeyRange, type Revision } from '../../store/index.ts';
import type { ObjectList, ObjectStore } from '../storage/object-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** One object before and after a change; a missing side means that it did not exist. */
export interface ObjectDifference<T> {
  readonly key: string;
  readonly current: T | undefined;
  readonly previous: T | undefined;
}

export type ObjectChangeHandler<T> = (difference: ObjectDifference<T>) => void;

/** How long a feed waits before it retries after an error of the store. */
const RETRY_MS = 1000;

/**
 * One watch of the objects under a prefix, shared by all handlers. It runs while there are handlers.
 *
 * Guarantees: the changes that a handler received add up to the state of the store at the last of them; after a gap in the store's history
 * the feed lists again and sends the differences, so that several changes may arrive as one.
 */
export class ChangeFeed implements Disposable {
  #objects: ObjectStore | undefined;
  readonly #range: KeyRange;
  readonly #options: { readonly clock: Clock; readonly log: Logger };
  readonly #handlers = new Set<ObjectChangeHandler<unknown>>();
  #delivered = new Map<string, StoredObject>();
  #stop: AbortController | undefined;
  #isFilled = false;
  #onFilled: (() => void)[] = [];

  constructor(
    objects: ObjectStore | undefined,
    range: KeyRange,
    options: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#objects = objects;
    this.#range = range;
    this.#options = options;
  }

  /** True once the handlers have received all objects of the initial state. */
  get isFilled(): boolean {
    return this.#isFilled;
  }

  /** Resolves when `isFilled` becomes true. */
  filled(): Promise<void> {
    return this.#isFilled ? Promise.resolve() : new Promise((resolve) => this.#onFilled.push(resolve));
  }

  add(handler: ObjectChangeHandler<unknown>): Disposable {
    for (const [key, { object }] of this.#delivered) this.#call(handler, { key, current: object, previous: undefined });
    this.#handlers.add(handler);
    this.#start();
    return {
      [Symbol.dispose]: () => {
        if (this.#handlers.delete(handler) && this.#handlers.size === 0) this[Symbol.dispose]();
      },
    };
  }

  /** Continues with the objects of another definition of the kind, or with none, and sends the differences. */
  follow(objects: ObjectStore | undefined): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#objects = objects;
    if (objects === undefined) for (const key of [...this.#delivered.keys()]) this.#deliver(key, undefined);
    else if (this.#handlers.size > 0) this.#start();
  }

  [Symbol.dispose](): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#handlers.clear();
    this.#delivered = new Map();
  }

  #start(): void {
    if (this.#stop !== undefined || this.#objects === undefined) return;
    this.#stop = new AbortController();
    void this.#run(this.#objects, this.#stop.signal);
  }

  /** The initial state, when it is available synchronously: then handlers have it before `add` returns. */
  #listNow(objects: ObjectStore): Revision | undefined {
    try {
      return this.#takeIn(objects.listNow(this.#range));
    } catch (error) {
      if (isStoreError(error, 'Unavailable')) return undefined;
      throw error;
    }
  }

  async #run(objects: ObjectStore, signal: AbortSignal): Promise<void> {
    let seen = this.#listNow(objects);
    while (!signal.aborted) {
      try {
        const list = seen === undefined ? await objects.list(this.#range, {}) : undefined;
        if (signal.aborted) return;
        const from = (list === undefined ? (seen ?? 0) : this.#takeIn(list)) + 1;
        seen = undefined;
        for await (const { changes } of objects.watch(this.#range, { from, signal })) {
          if (signal.aborted) return;
          for (const { current, previous } of changes) this.#deliver(current?.key ?? previous?.key ?? '', current);
        }
        return; // the store was closed
      } catch (error) {
        if (signal.aborted) return;
        if (isStoreError(error, 'Compacted') || isStoreError(error, 'SlowWatcher')) continue;
        this.#options.log.warn('following objects failed', { prefix: this.#range.from, error });
        await this.#options.clock.sleep(RETRY_MS, signal);
      }
    }
  }

  #takeIn({ objects, revision }: ObjectList): Revision {
    const listed = new Set(objects.map(({ key }) => key));
    for (const key of [...this.#delivered.keys()]) if (!listed.has(key)) this.#deliver(key, undefined);
    for (const stored of objects) this.#deliver(stored.key, stored);
    this.#isFilled = true;
    for (const resolve of this.#onFilled.splice(0)) resolve();
    return revision;
  }

  #deliver(key: string, current: StoredObject | undefined): void {
    const previous = this.#delivered.get(key);
    if (previous?.revision === current?.revision) return;
    if (current === undefined) this.#delivered.delete(key);
    else this.#delivered.set(key, current);
    const difference = { key, current: current?.object, previous: previous?.object };
    for (const handler of this.#handlers) this.#call(handler, difference);
  }

  /** An error in one handler does not affect the others. */
  #call(handler: ObjectChangeHandler<unknown>, difference: ObjectDifference<unknown>): void {
    try {
      handler(difference);
    } catch (error) {
      this.#options.log.error('handling a changed object failed', { key: difference.key, error });
    }
  }
}
