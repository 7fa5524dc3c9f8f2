import { expect, test } from 'vitest';
import { BoundedQueue } from './bounded-queue.ts';
import { mapped } from './mapped.ts';

function queueOf(...items: readonly number[]): BoundedQueue<number> {
  const queue = new BoundedQueue<number>(10);
  for (const item of items) queue.offer(item);
  return queue;
}

test('items are mapped in order, with or without a promise, until the source ends', async () => {
  const queue = queueOf(1, 2, 3);
  queue.close();
  const doubled: number[] = [];
  for await (const item of mapped(queue, (one) => (one === 2 ? Promise.resolve(4) : one * 2))) doubled.push(item);
  expect(doubled).toEqual([2, 4, 6]);
});

test('leaving the loop leaves the source', async () => {
  const queue = queueOf(1, 2);
  for await (const _item of mapped(queue, String)) break;
  expect(queue.isClosed).toBe(true);
});

test('an error of the function leaves the source and is thrown', async () => {
  const queue = queueOf(1);
  const iterator = mapped(queue, () => {
    throw new Error('no');
  });
  await expect(iterator.next()).rejects.toThrow('no');
  expect(queue.isClosed).toBe(true);
});
