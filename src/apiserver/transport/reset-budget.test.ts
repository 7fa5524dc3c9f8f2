import assert from 'node:assert/strict';
import { test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { ResetBudget } from './reset-budget.ts';

test('so many at once, and some more each second', async () => {
  const clock = new VirtualClock();
  const budget = new ResetBudget(clock, { maxResets: 3, resetsPerSecond: 2 });
  assert.deepEqual([budget.spend(), budget.spend(), budget.spend(), budget.spend()], [true, true, true, false]);
  await clock.advance('2s');
  assert.deepEqual([budget.spend(), budget.spend(), budget.spend(), budget.spend()], [true, true, true, false]);
});

test('rest is not saved up beyond what may be spent at once', async () => {
  const clock = new VirtualClock();
  const budget = new ResetBudget(clock, { maxResets: 2, resetsPerSecond: 10 });
  await clock.advance('1h');
  assert.deepEqual([budget.spend(), budget.spend(), budget.spend()], [true, true, false]);
});
