import { nextOf, OVER, type Polled } from './polled.ts';

export interface BoundedQueueOptions {
  /** Called once, when the producer or the consumer closes the queue: the place to unsubscribe from the source of items. */
  readonly onClose?: () => void;
}

const FIRST_SLOTS = 8;

/**
 * A queue between many producers and one consumer that never holds more than `capacity` items.
 *
 * Guarantees: items come out in the order they were accepted. After `close()` the accepted ones still come out, then
 * iteration ends, or throws the error given to `close`. Leaving the `for await` loop closes the queue and drops the rest.
 * Assumes: one consumer; a second `next()` while one waits is refused.
 * Memory grows with what is queued, by doubling, not with the capacity.
 */
export class BoundedQueue<T> implements Polled<T> {
  readonly #capacity: number;
  readonly #onClose: (() => void) | undefined;
  /** A ring whose length is a power of two. */
  #slots: (T | undefined)[] = [];
  #head = 0;
  #size = 0;
  /** Wakes the waiting consumer, if there is one. */
  #wake: (() => void) | undefined;
  #isClosed = false;
  #failure: { readonly error: Error } | undefined;

  constructor(capacity: number, options: BoundedQueueOptions = {}) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw new RangeError(`Cannot make a queue for ${capacity} items: need an integer >= 1`);
    }
    this.#capacity = capacity;
    this.#onClose = options.onClose;
  }

  get size(): number {
    return this.#size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Accepts the item, or returns `false` when the queue is full or closed; the caller decides what happens to a rejected
   * item.
   */
  offer(item: T): boolean {
    if (this.#isClosed) return false;
    if (this.#size >= this.#capacity) return false;
    if (this.#size === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = item;
    this.#size += 1;
    this.#wakeConsumer();
    return true;
  }

  /** No more items are accepted. Calling it again changes nothing. */
  close(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (error !== undefined) this.#failure = { error };
    this.#wakeConsumer();
    this.#onClose?.();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#wake !== undefined)
      return Promise.reject(new Error('Cannot read the queue: another consumer is waiting on it'));
    return nextOf(this);
  }

  /** Throws the error of `close` once; after that the iteration is over, as with any iterator. */
  poll(wake: () => void): IteratorResult<T, undefined> | undefined {
    if (this.#size > 0) return { value: this.#shift(), done: false };
    if (!this.#isClosed) {
      this.#wake = wake;
      return undefined;
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    return OVER;
  }

  /** The next queued item, or undefined: for a consumer that takes several items at a time. */
  takeNow(): T | undefined {
    return this.#size > 0 ? this.#shift() : undefined;
  }

  /** The consumer leaves: queued items are dropped and the queue is closed. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.#slots = [];
    this.#head = 0;
    this.#size = 0;
    this.#failure = undefined;
    this.close();
    return Promise.resolve(OVER);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wakeConsumer(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #shift(): T {
    const item = this.#slots[this.#head] as T;
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size -= 1;
    return item;
  }

  #grow(): void {
    const slots = Array.from<T | undefined>({ length: Math.max(FIRST_SLOTS, this.#slots.length * 2) });
    for (let index = 0; index < this.#size; index++) {
      slots[index] = this.#slots[(this.#head + index) & (this.#slots.length - 1)];
    }
    this.#slots = slots;
    this.#head = 0;
  }
}
