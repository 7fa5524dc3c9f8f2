import { expect, test } from 'vitest';
import { Diagnosis } from '../framework/diagnosis.ts';
import { unschedulable } from '../framework/rejection.ts';
import { rejectionsOf } from './attempt-findings.ts';

test('rejections are grouped by reason, and their number and length are bounded', () => {
  const diagnosis = new Diagnosis();
  for (let index = 0; index < 9; index++) diagnosis.reject(`small-${index}`, unschedulable('Fit', 'too small'));
  for (let index = 0; index < 2; index++) diagnosis.reject(`odd-${index}`, unschedulable('Talker', 'x'.repeat(1e6)));
  const [first, second] = rejectionsOf(diagnosis, 11);
  expect(first).toEqual({
    by: 'Fit',
    reason: 'too small',
    isResolvable: true,
    count: 9,
    nodes: ['small-0', 'small-1', 'small-2', 'small-3', 'small-4'],
  });
  expect([second?.count, second?.reason.length]).toEqual([2, 1027]);
});
