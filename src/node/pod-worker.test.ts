import { expect, test } from 'vitest';
import { discardLogger, SeededRandom, VirtualClock } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { Objects } from '../kit/index.ts';
import { ServiceVariables } from './config/index.ts';
import { PodWorker } from './pod-worker.ts';
import { LifecycleHooks } from './probes/index.ts';
import { assumedVolumes } from './runtime/index.ts';
import { SimulatedRuntime } from './simulated/index.ts';
import { podOf } from './testing/pod-views.ts';

interface Sketch {
  readonly worker: PodWorker;
  readonly woken: string[];
}

/** A worker whose first report is answered as the given function says. */
function workerOn(pod: Observed<Pod>, answer: (worker: PodWorker) => Promise<Observed<Pod>>): Sketch {
  const clock = new VirtualClock();
  const woken: string[] = [];
  const pods = { patchStatus: () => answer(worker) } as unknown as Objects<Pod>;
  const runtime = new SimulatedRuntime({
    clock,
    random: new SeededRandom(1),
    podCidrs: ['10.244.0.0/24'],
    version: '1',
  });
  const noData = { configMap: async () => undefined, secret: async () => undefined };
  const worker: PodWorker = new PodWorker(pod, {
    clock,
    log: discardLogger,
    pods,
    events: { event: () => undefined },
    runtime,
    executor: runtime.actions,
    hooks: new LifecycleHooks(runtime.actions, clock),
    volumes: assumedVolumes,
    sources: { data: noData, services: new ServiceVariables({ list: () => [] }) },
    capacity: {},
    allocatable: () => ({}),
    runtimeName: 'simulated',
    hostIps: ['10.0.0.1'],
    wake: (key) => woken.push(key),
    ended: () => undefined,
    imagesChanged: () => undefined,
  });
  return { worker, woken };
}

function version(pod: Observed<Pod>, resourceVersion: string, isDeleted: boolean): Observed<Pod> {
  const deletion = { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 30, generation: 2 };
  return { ...pod, metadata: { ...pod.metadata, ...(isDeleted ? deletion : {}), resourceVersion } };
}

test('a deletion is not forgotten when the echo of the report follows it (issue 12, D1)', async () => {
  const pod = podOf({});
  const { worker, woken } = workerOn(pod, async (on) => {
    on.needsStep(version(pod, '8', true));
    on.needsStep(version(pod, '9', true)); // the report, on top of the deletion
    return version(pod, '9', true);
  });
  await worker.step(pod);
  expect(woken[0]).toBe('default/web');
  await worker.halt();
});

test('a deletion that only the answer to the report tells of is not missed', async () => {
  const pod = podOf({});
  const { worker, woken } = workerOn(pod, async () => version(pod, '9', true));
  await worker.step(pod);
  expect(woken[0]).toBe('default/web');
  expect(worker.needsStep(version(pod, '9', true))).toBe(false);
  await worker.halt();
});

test('a report that the server takes over in part is not written again and again', async () => {
  const pod = podOf({});
  let writes = 0;
  const stored = { ...version(pod, '9', false), status: { phase: 'Failed' } } as Observed<Pod>;
  const { worker, woken } = workerOn(pod, async () => {
    writes += 1;
    return stored;
  });
  worker.reject({ reason: 'OutOfcpu', message: 'too much' });
  await worker.step(pod);
  expect(woken).toEqual(['default/web']);
  await worker.step(stored);
  expect(writes).toBe(2); // the difference to what is stored now is another one
  await worker.step(stored);
  expect([writes, woken.length]).toEqual([2, 2]);
});
