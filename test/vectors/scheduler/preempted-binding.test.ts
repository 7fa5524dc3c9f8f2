import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SchedulerRun } from '../../../src/scheduler/testing/scheduler-run.ts';
import { NODE, preemptBinding, ROOM } from './preempted-binding.ts';

test('kube-scheduler does the same with a victim that is not bound yet', async () => {
  const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'preempted-binding.json'), 'utf8')) as unknown;
  await using run = await SchedulerRun.start();
  await run.addNode(NODE, { allocatable: ROOM });
  const ours = await preemptBinding(run.client, () => new Promise((resolve) => void setImmediate(resolve)));
  expect(JSON.parse(JSON.stringify(ours))).toEqual(recorded);
});
