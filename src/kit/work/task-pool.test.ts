import { expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import { inParallel, TaskPool } from './task-pool.ts';

test('works on all items, on no more than the limit at a time', async () => {
  let now = 0;
  let most = 0;
  const done: number[] = [];
  const work = async (item: number): Promise<void> => {
    most = Math.max(most, ++now);
    await Promise.resolve();
    now -= 1;
    done.push(item);
  };

  await inParallel([1, 2, 3, 4, 5], work, { limit: 2 });

  expect(most).toBe(2);
  expect(done.sort()).toEqual([1, 2, 3, 4, 5]);
});

test('a failure does not stop the rest, and is thrown in the end', async () => {
  const done: number[] = [];
  const work = async (item: number): Promise<void> => {
    if (item === 2) throw new Error('two is bad');
    done.push(item);
  };

  await expect(inParallel([1, 2, 3], work, { limit: 1 })).rejects.toThrow('two is bad');
  expect(done).toEqual([1, 3]);
});

test('TaskPool.room() waits while the pool is full, and idle() until all tasks have ended', async () => {
  const pool = new TaskPool(2);
  const ends: (() => void)[] = [];
  const task = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  const seen: string[] = [];
  pool.start(task);
  await pool.room();
  pool.start(task);
  void pool.room().then(() => seen.push('room'));
  void pool.idle().then(() => seen.push('idle'));
  await settle();
  expect([pool.size, seen]).toEqual([2, []]);
  ends[1]?.();
  await settle();
  expect([pool.size, seen]).toEqual([1, ['room']]);
  ends[0]?.();
  await settle();
  expect([pool.size, seen]).toEqual([0, ['room', 'idle']]);
});
