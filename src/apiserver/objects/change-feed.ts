import type { Clock, Logger } from '../../base/index.ts';
import { isStoreError, type KeyRange, type Revision } from '../../store/index.ts';
import type { ObjectList, ObjectStore } from '../storage/object-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** One object before and after; a missing side means that the object was not there. */
export interface ObjectDifference<T> {
  readonly key: string;
  readonly current: T | undefined;
  readonly previous: T | undefined;
}

export type ObjectChangeHandler<T> = (difference: ObjectDifference<T>) => void;

/** How long a feed waits before it asks a store again that did not answer. */
const RETRY_MS = 1000;

/**
 * One watch of the objects under a prefix, for all handlers. It runs while there are handlers.
 *
 * Guarantees: what a handler was told, taken together, is the state of the store as of the last change told; after a gap in the
 * store's history the feed lists anew and tells the difference, so that changes in between may be told as one.
 */
export class ChangeFeed implements Disposable {
  #objects: ObjectStore | undefined;
  readonly #range: KeyRange;
  readonly #options: { readonly clock: Clock; readonly log: Logger };
  readonly #handlers = new Set<ObjectChangeHandler<unknown>>();
  #told = new Map<string, StoredObject>();
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

  /** True once the handlers have been told of all objects that there were at the start. */
  get isFilled(): boolean {
    return this.#isFilled;
  }

  /** Resolves when `isFilled` has become true. */
  filled(): Promise<void> {
    return this.#isFilled ? Promise.resolve() : new Promise((resolve) => this.#onFilled.push(resolve));
  }

  add(handler: ObjectChangeHandler<unknown>): Disposable {
    for (const [key, { object }] of this.#told) this.#call(handler, { key, current: object, previous: undefined });
    this.#handlers.add(handler);
    this.#start();
    return {
      [Symbol.dispose]: () => {
        if (this.#handlers.delete(handler) && this.#handlers.size === 0) this[Symbol.dispose]();
      },
    };
  }

  /** Goes on with the objects of another definition of the kind, or with none, and tells what differs. */
  follow(objects: ObjectStore | undefined): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#objects = objects;
    if (objects === undefined) for (const key of [...this.#told.keys()]) this.#tell(key, undefined);
    else if (this.#handlers.size > 0) this.#start();
  }

  [Symbol.dispose](): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#handlers.clear();
    this.#told = new Map();
  }

  #start(): void {
    if (this.#stop !== undefined || this.#objects === undefined) return;
    this.#stop = new AbortController();
    void this.#run(this.#objects, this.#stop.signal);
  }

  /** The state to begin with, where it can be had at once: then handlers know it before `add` returns. */
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
          for (const { current, previous } of changes) this.#tell(current?.key ?? previous?.key ?? '', current);
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
    for (const key of [...this.#told.keys()]) if (!listed.has(key)) this.#tell(key, undefined);
    for (const stored of objects) this.#tell(stored.key, stored);
    this.#isFilled = true;
    for (const resolve of this.#onFilled.splice(0)) resolve();
    return revision;
  }

  #tell(key: string, current: StoredObject | undefined): void {
    const previous = this.#told.get(key);
    if (previous?.revision === current?.revision) return;
    if (current === undefined) this.#told.delete(key);
    else this.#told.set(key, current);
    const difference = { key, current: current?.object, previous: previous?.object };
    for (const handler of this.#handlers) this.#call(handler, difference);
  }

  /** A handler that throws keeps nobody else from being told. */
  #call(handler: ObjectChangeHandler<unknown>, difference: ObjectDifference<unknown>): void {
    try {
      handler(difference);
    } catch (error) {
      this.#options.log.error('handling a changed object failed', { key: difference.key, error });
    }
  }
}
