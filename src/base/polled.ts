/**
 * An iterator that can be read without a promise per item, because one source may have thousands of readers.
 *
 * Assumes: one reader, which either polls or waits for `next()`.
 */
export interface Polled<T> extends AsyncIterableIterator<T, undefined> {
  /**
   * The next item or the end, if it is available. Otherwise undefined, and `wake`, which never throws, is called once when
   * it is time to poll again. Throws what `next()` would reject with.
   */
  poll(wake: () => void): IteratorResult<T, undefined> | undefined;
}

export const OVER: IteratorReturnResult<undefined> = { value: undefined, done: true };

/** Implements `next()` by `poll`. */
export function nextOf<T>(source: Pick<Polled<T>, 'poll'>): Promise<IteratorResult<T, undefined>> {
  return new Promise((resolve, reject) => {
    const read = (): void => {
      try {
        const step = source.poll(read);
        if (step !== undefined) resolve(step);
      } catch (error) {
        reject(error);
      }
    };
    read();
  });
}

/** Implements the iterator's other methods for sources that implement `poll` and `leave`. */
export abstract class PolledSource<T> implements Polled<T> {
  abstract poll(wake: () => void): IteratorResult<T, undefined> | undefined;

  /** The reader leaves before the end. */
  protected abstract leave(): void | Promise<unknown>;

  next(): Promise<IteratorResult<T, undefined>> {
    return nextOf(this);
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.leave();
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Makes promises pollable, one at a time. */
export class PolledPromise<T> {
  #isPending = false;
  #outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** True from the start of a promise until its result is taken. */
  get isPending(): boolean {
    return this.#isPending;
  }

  start(promise: Promise<T>): void {
    this.#isPending = true;
    promise.then(
      (value) => this.#settle({ value }),
      (error: unknown) => this.#settle({ error }),
    );
  }

  poll(wake: () => void): IteratorYieldResult<T> | undefined {
    const outcome = this.#outcome;
    if (outcome === undefined) {
      this.#wake = wake;
      return undefined;
    }
    this.#outcome = undefined;
    this.#isPending = false;
    if ('error' in outcome) throw outcome.error;
    return { value: outcome.value, done: false };
  }

  #settle(outcome: { readonly value: T } | { readonly error: unknown }): void {
    this.#outcome = outcome;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

/** A pollable iterator of the source: the source's iterator if it is pollable, or else a wrapper that waits for its promises. */
export function polled<T>(source: AsyncIterable<T>): Polled<T> {
  const iterator = source[Symbol.asyncIterator]();
  return isPolled(iterator) ? iterator : new PolledIterator(iterator);
}

/** Ends an iterator that has no reader any more; its errors are dropped. */
export function leave(iterator: AsyncIterator<unknown> | undefined): void {
  iterator?.return?.().catch(() => undefined);
}

function isPolled<T>(iterator: AsyncIterator<T>): iterator is Polled<T> {
  return 'poll' in iterator;
}

class PolledIterator<T> extends PolledSource<T> {
  readonly #iterator: AsyncIterator<T>;
  readonly #asked = new PolledPromise<IteratorResult<T, unknown>>();

  constructor(iterator: AsyncIterator<T>) {
    super();
    this.#iterator = iterator;
  }

  poll(wake: () => void): IteratorResult<T, undefined> | undefined {
    if (!this.#asked.isPending) this.#asked.start(this.#iterator.next());
    const step = this.#asked.poll(wake)?.value;
    return step?.done === true ? OVER : step;
  }

  protected async leave(): Promise<void> {
    await this.#iterator.return?.();
  }
}
