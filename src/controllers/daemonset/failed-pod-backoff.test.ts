import { expect, test } from 'vitest';
import { FailedPodBackoff } from './failed-pod-backoff.ts';

const MINUTE = 60_000;

test('each failed pod stays twice as long as the one before, up to fifteen minutes', () => {
  const backoff = new FailedPodBackoff();
  let nowMs = 0;
  const delays: (number | undefined)[] = [];
  for (let pod = 0; pod < 12; pod++) {
    expect(backoff.delayMs('n1', nowMs)).toBeUndefined();
    const delay = backoff.delayMs('n1', nowMs);
    delays.push(delay);
    nowMs += delay ?? 0;
  }
  const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900];
  expect(delays).toEqual(seconds.map((second) => second * 1000));
});

test('nodes back off independently, and old failures are forgotten', () => {
  const backoff = new FailedPodBackoff();
  expect(backoff.delayMs('n1', 0)).toBeUndefined();
  expect(backoff.delayMs('n2', 0)).toBeUndefined();
  expect(backoff.delayMs('n1', 999)).toBe(1000);
  expect(backoff.delayMs('n1', 1000)).toBeUndefined();
  expect(backoff.delayMs('n1', 1000)).toBe(2000);
  expect(backoff.delayMs('n1', 1000 + 31 * MINUTE)).toBeUndefined();
  expect(backoff.delayMs('n1', 1000 + 31 * MINUTE)).toBe(1000);
});
