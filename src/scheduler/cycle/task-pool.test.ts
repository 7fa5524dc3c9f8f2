import { expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import { TaskPool } from './task-pool.ts';
import { WakeUp } from './wake-up.ts';

test('TaskPool.room() waits while the pool is full, and idle() until all is over', async () => {
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

test('WakeUp.sleep() ends with a call, with one that came before, or with the signal, and leaves nothing behind', async () => {
  const stop = new AbortController();
  let listeners = 0;
  const { signal } = stop;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  const wakeUp = new WakeUp();
  for (let round = 0; round < 5; round++) {
    const sleeping = wakeUp.sleep(signal);
    wakeUp.call();
    await sleeping;
    wakeUp.call();
    await wakeUp.sleep(signal);
  }
  expect(listeners).toBe(0);
  const sleeping = wakeUp.sleep(signal);
  stop.abort();
  await sleeping;
  await wakeUp.sleep(signal);
});
