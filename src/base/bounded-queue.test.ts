import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BoundedQueue } from './bounded-queue.ts';

async function readAll<T>(queue: BoundedQueue<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

describe('BoundedQueue', () => {
  test('offer() answers false when full and accepts again once an item is taken', async () => {
    const queue = new BoundedQueue<number>(2);

    expect([queue.offer(1), queue.offer(2), queue.offer(3)]).toEqual([true, true, false]);
    expect(await queue.next()).toEqual({ value: 1, done: false });
    expect(queue.offer(4)).toBe(true);
    queue.close();
    expect(await readAll(queue)).toEqual([2, 4]);
  });

  test('a waiting consumer gets an item as soon as it is offered', async () => {
    const queue = new BoundedQueue<string>(1);
    const waiting = queue.next();

    expect(queue.offer('to the consumer')).toBe(true);
    expect(queue.offer('to the queue')).toBe(true);
    expect(queue.offer('nowhere')).toBe(false);
    expect(await waiting).toEqual({ value: 'to the consumer', done: false });
  });

  test('close() lets accepted items out first, then ends the loop', async () => {
    const queue = new BoundedQueue<number>(10);
    queue.offer(1);
    queue.offer(2);
    queue.close();

    expect(queue.offer(3)).toBe(false);
    expect(await readAll(queue)).toEqual([1, 2]);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test('close(error) lets accepted items out first, then throws the error once', async () => {
    const queue = new BoundedQueue<number>(10);
    queue.offer(1);
    queue.close(new Error('source is gone'));

    expect(await queue.next()).toEqual({ value: 1, done: false });
    await expect(queue.next()).rejects.toThrow('source is gone');
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test('close() wakes a waiting consumer', async () => {
    const ended = new BoundedQueue<number>(1);
    const failed = new BoundedQueue<number>(1);
    const waiting = [ended.next(), failed.next()] as const;
    ended.close();
    failed.close(new Error('source is gone'));

    expect(await waiting[0]).toEqual({ value: undefined, done: true });
    await expect(waiting[1]).rejects.toThrow('source is gone');
  });

  test('leaving the loop closes the queue, drops the rest and calls onClose once', async () => {
    let closes = 0;
    const queue = new BoundedQueue<number>(10, { onClose: () => (closes += 1) });
    queue.offer(1);
    queue.offer(2);
    for await (const item of queue) {
      expect(item).toBe(1);
      break;
    }

    expect(queue.isClosed).toBe(true);
    expect(queue.size).toBe(0);
    expect(queue.offer(3)).toBe(false);
    queue.close(new Error('too late to matter'));
    expect(await queue.next()).toEqual({ value: undefined, done: true });
    expect(closes).toBe(1);
  });

  test('a consumer that leaves before the error is reached never sees it', async () => {
    const queue = new BoundedQueue<number>(10);
    queue.offer(1);
    queue.close(new Error('source is gone'));
    await queue.return();

    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test('a second consumer is refused', async () => {
    const queue = new BoundedQueue<number>(1);
    const first = queue.next();

    await expect(queue.next()).rejects.toThrow('another consumer is waiting');
    queue.offer(1);
    expect(await first).toEqual({ value: 1, done: false });
  });

  test.each([0, -1, 1.5, NaN])('refuses the capacity %d', (capacity) => {
    expect(() => new BoundedQueue(capacity)).toThrow('need an integer >= 1');
  });

  test('behaves as a plain list with a limit, however offers and takes alternate', async () => {
    const step = fc.oneof(fc.constant('take' as const), fc.integer());
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.array(step, { maxLength: 300, size: 'max' }),
        async (capacity, steps) => {
          const queue = new BoundedQueue<number>(capacity);
          const model: number[] = [];
          for (const action of steps) {
            if (action === 'take') {
              if (model.length > 0) expect((await queue.next()).value).toBe(model.shift());
            } else {
              const isAccepted = model.length < capacity;
              if (isAccepted) model.push(action);
              expect(queue.offer(action)).toBe(isAccepted);
            }
            expect(queue.size).toBe(model.length);
          }
        },
      ),
    );
  });
});
