import { describe, expect, test } from 'vitest';
import { BoundedQueue } from './bounded-queue.ts';
import { nextOf, OVER, polled, PolledPromise } from './polled.ts';

/** Polls until the source has no item ready or is over; counts how often it is woken. */
class Reader<T> {
  readonly read: T[] = [];
  woken = 0;
  isOver = false;
  readonly #source: AsyncIterable<T>;
  readonly #wake = (): void => {
    this.woken += 1;
    this.poll();
  };
  #iterator: ReturnType<typeof polled<T>> | undefined;

  constructor(source: AsyncIterable<T>) {
    this.#source = source;
  }

  poll(): void {
    const iterator = (this.#iterator ??= polled(this.#source));
    for (let step = iterator.poll(this.#wake); step !== undefined; step = iterator.poll(this.#wake)) {
      if (step.done === true) {
        this.isOver = true;
        return;
      }
      this.read.push(step.value);
    }
  }
}

describe('polling a queue', () => {
  test('returns queued items, and wakes its reader once when more arrive', () => {
    const queue = new BoundedQueue<number>(10);
    queue.offer(1);
    queue.offer(2);
    const reader = new Reader(queue);
    reader.poll();
    expect(reader).toMatchObject({ read: [1, 2], woken: 0, isOver: false });
    queue.offer(3);
    expect(reader).toMatchObject({ read: [1, 2, 3], woken: 1 });
    queue.close();
    expect(reader).toMatchObject({ woken: 2, isOver: true });
  });

  test('throws the error that the queue was closed with, once', () => {
    const queue = new BoundedQueue<number>(10);
    queue.close(new Error('broken'));
    expect(() => queue.poll(() => undefined)).toThrow('broken');
    expect(queue.poll(() => undefined)).toBe(OVER);
  });
});

describe('polling a generator', () => {
  test('wakes its reader for each item', async () => {
    async function* source(): AsyncGenerator<number> {
      yield 1;
      yield 2;
    }
    const reader = new Reader(source());
    reader.poll();
    expect(reader.read).toEqual([]);
    await new Promise(setImmediate);
    expect(reader).toMatchObject({ read: [1, 2], woken: 3, isOver: true });
  });

  test('throws the generator’s errors, and leaves the generator when the reader leaves', async () => {
    let isLeft = false;
    async function* source(): AsyncGenerator<number> {
      try {
        yield 1;
        throw new Error('broken');
      } finally {
        isLeft = true;
      }
    }
    const failing = polled(source());
    await nextOf(failing);
    await expect(nextOf(failing)).rejects.toThrow('broken');

    isLeft = false;
    for await (const _item of polled(source())) break;
    expect(isLeft).toBe(true);
  });
});

test('a promise is pending until its result is taken', async () => {
  const promise = new PolledPromise<undefined>();
  expect(promise.isPending).toBe(false);
  promise.start(Promise.resolve(undefined));
  await new Promise<void>((resolve) => promise.poll(resolve));
  expect(promise.isPending).toBe(true);
  expect(promise.poll(() => undefined)).toEqual({ value: undefined, done: false });
  expect(promise.isPending).toBe(false);
});
