import { expect, test } from 'vitest';
import { runCronJobs } from './testing/long-run.ts';

test('Jobs start at all scheduled times, and only the last ones are kept', async () => {
  const { started, due, problems } = await runCronJobs(10, 1);
  expect(problems).toEqual([]);
  expect(due).toBeGreaterThan(10);
  expect(started).toBe(due);
});
