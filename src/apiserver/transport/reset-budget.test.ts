import assert from 'node:assert/strict';
import { test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { AddressBudgets, ResetBudget } from './reset-budget.ts';

test('allows maxResets at once, and resetsPerSecond more each second', async () => {
  const clock = new VirtualClock();
  const budget = new ResetBudget(clock, { maxResets: 3, resetsPerSecond: 2 });
  assert.deepEqual([budget.spend(), budget.spend(), budget.spend(), budget.spend()], [true, true, true, false]);
  await clock.advance('2s');
  assert.deepEqual([budget.spend(), budget.spend(), budget.spend(), budget.spend()], [true, true, true, false]);
});

test('saves up no more than maxResets', async () => {
  const clock = new VirtualClock();
  const budget = new ResetBudget(clock, { maxResets: 2, resetsPerSecond: 10 });
  await clock.advance('1h');
  assert.deepEqual([budget.spend(), budget.spend(), budget.spend()], [true, true, false]);
});

test('reconnecting does not bring a new budget, and other addresses have their own', async () => {
  const clock = new VirtualClock();
  const budgets = new AddressBudgets(clock, { maxResets: 2, resetsPerSecond: 1 });
  const spent = Array.from({ length: 9 }, () => budgets.spend('10.0.0.1'));
  assert.deepEqual(spent, [...Array.from({ length: 8 }, () => true), false]);
  assert.equal(budgets.spend('10.0.0.2'), true);
  await clock.advance('1m');
  assert.equal(budgets.spend('10.0.0.1'), true);
});
