import { expect, test } from 'vitest';
import { discardLogger, SeededRandom, VirtualClock } from '../base/index.ts';
import { keyOf, type Observed, type Patch, type Pod } from '../client/index.ts';
import { EchoFilter, type Objects } from '../kit/index.ts';
import { ServiceVariables } from './config/index.ts';
import { PodWorker } from './pod-worker.ts';
import { LifecycleHooks } from './probes/index.ts';
import { assumedVolumes } from './runtime/index.ts';
import { SimulatedRuntime } from './simulated/index.ts';
import { podOf } from './testing/pod-views.ts';

interface Sketch {
  readonly worker: PodWorker;
  readonly woken: string[];
  /** The watch tells of the pod. */
  changed(pod: Observed<Pod>): void;
}

/** A worker whose reports are answered as the given function says. */
function workerOn(pod: Observed<Pod>, answer: (patch: Patch) => Promise<Observed<Pod>>): Sketch {
  const clock = new VirtualClock();
  const woken: string[] = [];
  const echoes = new EchoFilter();
  const changed = (now: Observed<Pod>): void => echoes.pass(keyOf(now), now.metadata, () => woken.push(keyOf(now)));
  const pods = { patchStatus: (_: string, patch: Patch) => answer(patch) } as unknown as Objects<Pod>;
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
    prepareDevices: async () => undefined,
    sources: { data: noData, services: new ServiceVariables({ list: () => [] }) },
    capacity: {},
    allocatable: () => ({}),
    runtimeName: 'simulated',
    echoes,
    hostIps: ['10.0.0.1'],
    wake: (key) => woken.push(key),
    ended: () => undefined,
    imagesChanged: () => undefined,
  });
  return { worker, woken, changed };
}

function version(pod: Observed<Pod>, resourceVersion: string, isDeleted: boolean): Observed<Pod> {
  const deletion = { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 30, generation: 2 };
  return { ...pod, metadata: { ...pod.metadata, ...(isDeleted ? deletion : {}), resourceVersion } };
}

test('a deletion is not forgotten when the echo of the report follows it (issue 12, D1)', async () => {
  const pod = podOf({});
  const { worker, woken, changed } = workerOn(pod, async () => {
    changed(version(pod, '8', true));
    changed(version(pod, '9', true)); // the report, on top of the deletion
    return version(pod, '9', true);
  });
  await worker.step(pod);
  expect(woken[0]).toBe('default/web');
  await worker.halt();
});

test('a deletion that only the answer to the report tells of is not missed', async () => {
  const pod = podOf({});
  const { worker, woken, changed } = workerOn(pod, async () => version(pod, '9', true));
  worker.reject({ reason: 'OutOfcpu', message: 'too much' });
  await worker.step(pod);
  changed(version(pod, '9', true)); // the watch was interrupted, and tells of deletion and report as one
  expect(woken).toEqual(['default/web']);
});

test('the echo of a report wakes nobody', async () => {
  const pod = podOf({});
  const { worker, woken, changed } = workerOn(pod, async ({ body }) => {
    const { status } = body as Observed<Pod>;
    const stored = { ...version(pod, '9', false), status: { ...pod.status, ...status } };
    changed(stored);
    return stored;
  });
  worker.reject({ reason: 'OutOfcpu', message: 'too much' });
  await worker.step(pod);
  expect(woken).toEqual([]);
});

test('a report that the server takes over in part is not written again and again', async () => {
  const pod = podOf({});
  let writes = 0;
  const stored = { ...version(pod, '9', false), status: { phase: 'Failed' } } as Observed<Pod>;
  const { worker, woken, changed } = workerOn(pod, async () => {
    writes += 1;
    changed(stored);
    return stored;
  });
  worker.reject({ reason: 'OutOfcpu', message: 'too much' });
  await worker.step(pod);
  expect(woken).toEqual(['default/web']);
  await worker.step(stored);
  expect(writes).toBe(2); // the difference to what is stored now is another one
  await worker.step(stored);
  expect(writes).toBe(2);
});
