import { expect, test } from 'vitest';
import { RetryAfter } from './retry-after.ts';

function after(refusals: (second: number) => number, seconds: number): number[] {
  let now = 1_000_000;
  const retryAfter = new RetryAfter({ now: () => now });
  const delays: number[] = [];
  for (let second = 0; second < seconds; second++) {
    for (let each = 0; each < refusals(second); each++) {
      const answer = retryAfter.refused();
      if (each === refusals(second) - 1) delays.push(answer);
    }
    now += 1000;
  }
  return delays;
}

test('a few refused clients are asked to retry after a second', () => {
  expect(after(() => 2, 6)).toEqual([1, 1, 1, 1, 1, 1]);
});

test('while many are refused the delay doubles, to 30 seconds', () => {
  const delays = after(() => 200, 100);
  expect(delays.slice(0, 8)).toEqual([1, 2, 2, 4, 4, 4, 4, 8]);
  expect(delays.at(-1)).toBe(32);
});

test('when load drops the delay shrinks step by step', () => {
  const delays = after((second) => (second < 10 ? 100 : second % 3 === 0 ? 1 : 0), 100);
  const peak = delays.indexOf(Math.max(...delays));
  expect(delays[peak]).toBe(16);
  expect(delays.slice(peak).every((seconds, index, all) => index === 0 || (all[index - 1] ?? 0) - seconds <= 1)).toBe(
    true,
  );
  expect(delays.at(-1)).toBe(1);
});
