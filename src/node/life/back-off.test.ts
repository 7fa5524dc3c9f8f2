import { expect, test } from 'vitest';
import { type BackOff, nextBackOff } from './back-off.ts';

function delaysOf(count: number, maxMs?: number): readonly number[] {
  const delays: number[] = [];
  let backOff: BackOff | undefined;
  let nowMs = 0;
  for (let index = 0; index < count; index++) {
    backOff = nextBackOff(backOff, { failedAtMs: nowMs, nowMs, ...(maxMs === undefined ? {} : { maxMs }) });
    delays.push(backOff.delayMs / 1000);
    nowMs += backOff.delayMs;
  }
  return delays;
}

test('delays double from ten seconds to five minutes, or to what the node allows', () => {
  expect(delaysOf(7)).toEqual([10, 20, 40, 80, 160, 300, 300]);
  expect(delaysOf(4, 30_000)).toEqual([10, 20, 30, 30]);
  expect(delaysOf(2, 2000)).toEqual([2, 2]);
});
