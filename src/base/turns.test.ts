import { expect, test } from 'vitest';
import { nextTurn } from './next-turn.ts';
import { settle } from './settle.ts';
import { Turns } from './turns.ts';

/** Counts the turns of the event loop until it is stopped. */
function turnCounter(): { count: number; stop(): void } {
  let isOver = false;
  const counter = { count: 0, stop: () => void (isOver = true) };
  const next = (): void => {
    counter.count += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return counter;
}

test('other work gets several turns between two slices, however many workers there are', async () => {
  const turns = new Turns();
  const counter = turnCounter();
  const counts: number[] = [];
  const worker = async (): Promise<void> => {
    for (let slice = 0; slice < 3; slice++) {
      await turns.take(slice > 0);
      counts.push(counter.count);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  counter.stop();

  const gaps = counts.slice(1).map((count, index) => count - (counts[index] as number));
  expect(gaps).toHaveLength(8);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3);
});

test('started work goes first, the rest in order', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const worker = async (name: string): Promise<void> => {
    await turns.take(false);
    order.push(`${name}1`);
    await turns.take(true);
    order.push(`${name}2`);
  };
  await Promise.all([worker('a'), worker('b')]);
  await settle();

  expect(order).toEqual(['a1', 'a2', 'b1', 'b2']);
});

test('the time is counted over all work since the event loop last turned', async () => {
  const turns = new Turns();
  let nowMs = 100;
  const clock = { monotonic: () => nowMs };

  expect(turns.hasHeldFor(2, clock)).toBe(false);
  nowMs += 1;
  expect(turns.hasHeldFor(2, clock)).toBe(false);
  nowMs += 1;
  expect(turns.hasHeldFor(2, clock)).toBe(true);
  await nextTurn();
  nowMs += 10; // others had the thread
  expect(turns.hasHeldFor(2, clock)).toBe(false);
});
