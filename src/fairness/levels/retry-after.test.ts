import { expect, test } from 'vitest';
import { RetryAfter } from './retry-after.ts';

function after(refusals: (second: number) => number, seconds: number): number[] {
  let now = 1_000_000;
  const retryAfter = new RetryAfter({ now: () => now });
  const told: number[] = [];
  for (let second = 0; second < seconds; second++) {
    for (let each = 0; each < refusals(second); each++) {
      const answer = retryAfter.refused();
      if (each === refusals(second) - 1) told.push(answer);
    }
    now += 1000;
  }
  return told;
}

test('a few refused clients are asked to retry after a second', () => {
  expect(after(() => 2, 6)).toEqual([1, 1, 1, 1, 1, 1]);
});

test('while many are refused the delay doubles, to half a minute', () => {
  const told = after(() => 200, 100);
  expect(told.slice(0, 8)).toEqual([1, 2, 2, 4, 4, 4, 4, 8]);
  expect(told.at(-1)).toBe(32);
});

test('when load drops the delay shrinks step by step', () => {
  const told = after((second) => (second < 10 ? 100 : second % 3 === 0 ? 1 : 0), 100);
  const peak = told.indexOf(Math.max(...told));
  expect(told[peak]).toBe(16);
  expect(told.slice(peak).every((seconds, index, all) => index === 0 || (all[index - 1] ?? 0) - seconds <= 1)).toBe(
    true,
  );
  expect(told.at(-1)).toBe(1);
});
