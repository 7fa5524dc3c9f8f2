import { afterAll, beforeAll, expect, test } from 'vitest';
import { configuredScheduler, readSchedulerConfiguration } from '../../../src/scheduler/index.ts';
import { SchedulerRun } from '../../../src/scheduler/testing/scheduler-run.ts';
import { extenderCases, NODES, TIMEOUT_MS } from './cases.ts';
import { ExtenderServer, podNameOf, podOf, shapeOf, steady } from './extender-server.ts';
import { readRecordedExtenders, type RecordedExtender } from './recorded-extenders.ts';

const recorded = readRecordedExtenders();
let run: SchedulerRun;
let extenders: ExtenderServer;

beforeAll(async () => {
  extenders = await ExtenderServer.start();
  run = await SchedulerRun.start();
  const configuration = readSchedulerConfiguration(JSON.stringify(extenders.configuration()));
  await run.restart(configuredScheduler(configuration, { clock: run.clock }));
  for (const name of NODES) await run.addNode(name, { allocatable: { cpu: '4', memory: '8Gi', pods: '1000' } });
});

afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await extenders[Symbol.asyncDispose]();
});

/** The condition comes after a few turns of the event loop: extenders are asked over sockets. */
async function tried(
  name: string,
): Promise<{ readonly node?: string; readonly reason?: string; readonly message?: string }> {
  for (;;) {
    const { spec, status } = await run.pods.get(name);
    const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (spec?.nodeName !== undefined) return { node: spec.nodeName };
    if (condition !== undefined)
      return { reason: condition.reason, message: steady(condition.message ?? '', extenders.port) };
    await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

test.each(extenderCases.map((each, index) => ({ ...each, index })))(
  'kube-scheduler makes the same of an extender with $name',
  async ({ name, index, isLate = false, isByChance = false }) => {
    const { asked, ...outcome } = recorded[index] as RecordedExtender;
    await run.pods.create(podOf(index));
    if (isLate) {
      await extenders.whenAsked(name);
      for (let turn = 0; turn < 100; turn++) await nextTurn(); // the head of an answer may be on its way
      await run.clock.advance(TIMEOUT_MS);
    }
    const ours = await tried(podNameOf(index));
    await run.pods.delete(podNameOf(index), { gracePeriodSeconds: 0 });
    expect({ name, ...ours, ...(isByChance ? { node: outcome.node } : {}) }).toEqual(outcome);
    const first = (list: readonly unknown[] = []): unknown => JSON.parse(JSON.stringify(list[0] ?? null));
    expect(first(extenders.asked.get(name)?.map(shapeOf))).toEqual(first(asked));
  },
);
