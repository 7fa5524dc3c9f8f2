import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCounts } from './run-counts.ts';

const budget = JSON.parse(readFileSync(join(import.meta.dirname, 'budget.json'), 'utf8')) as Record<string, number>;

test('requests do no more work than their budget allows', () => {
  const counts = runCounts();

  expect(Object.keys(counts).toSorted()).toEqual(Object.keys(budget).toSorted());
  const overruns = Object.entries(counts).filter(([name, count]) => count > (budget[name] ?? 0));
  expect(overruns, 'more work than bench/work/budget.json allows').toEqual([]);
});
