import { expect, test } from 'vitest';
import { runCronJobs } from './testing/long-run.ts';

test('Jobs are started for all times of their schedules, and only the last are kept', async () => {
  const { started, due, problems } = await runCronJobs(10, 1);
  expect(problems).toEqual([]);
  expect(due).toBeGreaterThan(10);
  expect(started).toBe(due);
});
