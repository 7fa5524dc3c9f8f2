import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configuredScheduler, readSchedulerConfiguration } from '../../../src/scheduler/index.ts';
import { SchedulerRun } from '../../../src/scheduler/testing/scheduler-run.ts';
import { NODES } from './cases.ts';
import { ExtenderServer } from './extender-server.ts';
import { preemptionCases } from './preemption-cases.ts';
import { PreemptionRun, type RecordedPreemption } from './preemption-run.ts';

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'preemption.json'), 'utf8'),
) as readonly RecordedPreemption[];
let scheduler: SchedulerRun;
let extenders: ExtenderServer;
let run: PreemptionRun;

beforeAll(async () => {
  extenders = await ExtenderServer.start(preemptionCases);
  scheduler = await SchedulerRun.start();
  const configuration = readSchedulerConfiguration(JSON.stringify(extenders.configuration()));
  await scheduler.restart(configuredScheduler(configuration, { clock: scheduler.clock }));
  for (const name of NODES) await scheduler.addNode(name, { allocatable: { cpu: '4', memory: '8Gi', pods: '1000' } });
  const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  run = new PreemptionRun({ client: scheduler.client, extenders, pause });
  await run.prepare();
});

afterAll(async () => {
  await scheduler[Symbol.asyncDispose]();
  await extenders[Symbol.asyncDispose]();
});

test.each(preemptionCases.map(({ name }, index) => ({ name, index })))(
  'kube-scheduler makes the same of an extender that answers with $name',
  async ({ index }) => {
    const ours = JSON.parse(JSON.stringify(await run.try(index))) as unknown;
    expect(ours).toEqual(recorded[index]);
  },
);
