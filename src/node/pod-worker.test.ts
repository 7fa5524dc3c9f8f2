import { expect, test } from 'vitest';
import { discardLogger, SeededRandom, VirtualClock } from '../base/index.ts';
import { NO_EDITS } from './backend/index.ts';
import { type Client, keyOf, type Observed, type Patch, type Pod } from '../client/index.ts';
import { EchoFilter } from '../kit/index.ts';
import { ServiceVariables } from './config/index.ts';
import { PodWorker } from './pod-worker.ts';
import { apiPodWriter } from './pod-writer.ts';
import { LifecycleHooks } from './probes/index.ts';
import type { ImagePuller } from './images/index.ts';
import type { PodContents, PodVolumes } from './volumes/index.ts';
import { NodeCounts } from './node-counts.ts';
import type { PodIsolations } from './isolation/index.ts';
import { PodResizes } from './resizing/index.ts';
import { MemoryMachine } from './testing/memory-backend.ts';
import { podOf } from './testing/pod-views.ts';

interface Sketch {
  readonly worker: PodWorker;
  readonly woken: string[];
  /** The watch tells of the pod. */
  changed(pod: Observed<Pod>): void;
}

/** A worker whose reports are answered as the given function says. */
async function workerOn(pod: Observed<Pod>, answer: (patch: Patch) => Promise<Observed<Pod>>): Promise<Sketch> {
  const clock = new VirtualClock();
  const woken: string[] = [];
  const echoes = new EchoFilter();
  const changed = (now: Observed<Pod>): void => echoes.pass(keyOf(now), now.metadata, () => woken.push(keyOf(now)));
  const pods = { patchStatus: (_: string, patch: Patch) => answer(patch), delete: async () => true };
  const settings = {
    name: 'n',
    podCidrs: [],
    addresses: ['10.0.0.1'],
    port: 0,
    labels: {},
    taints: [],
    drivers: [],
    maxParallelPulls: 1,
  };
  const client = {} as Client; // there are no drivers
  const context = {
    client,
    clock,
    random: new SeededRandom(1),
    log: discardLogger,
    changed: () => undefined,
    podChanged: () => undefined,
  };
  const backend = await new MemoryMachine().open(settings, { ...context, content: async () => undefined });
  const noData = { configMap: async () => undefined, secret: async () => undefined };
  const counts = new NodeCounts();
  const worker: PodWorker = new PodWorker(pod, {
    clock,
    settings: {},
    log: discardLogger,
    writer: apiPodWriter(pods),
    events: { event: () => undefined },
    backend,
    hooks: new LifecycleHooks(backend.actions, { clock, metrics: counts.metrics }),
    volumes: {} as PodVolumes, // the pods have none
    contents: {} as PodContents,
    puller: {} as ImagePuller, // no test gets so far
    prepareDevices: async () => NO_EDITS,
    health: () => undefined,
    volumesMounted: () => undefined,
    sources: { data: noData, services: new ServiceVariables({ list: () => [] }) },
    isolations: {} as PodIsolations, // no test gets so far
    allocatable: () => ({}),
    counts,
    resizes: new PodResizes({
      clock,
      log: discardLogger,
      machine: backend.machine,
      metrics: counts.metrics,
      resources: backend.resources,
      pod: () => undefined,
      reserve: () => undefined,
      event: () => undefined,
      wake: () => undefined,
      plan: () => undefined,
    }),
    echoes,
    wake: (key) => woken.push(key),
    ended: () => undefined,
    imagesChanged: () => undefined,
    imageFound: () => undefined,
  });
  return { worker, woken, changed };
}

function version(pod: Observed<Pod>, resourceVersion: string, isDeleted: boolean): Observed<Pod> {
  const deletion = { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 30, generation: 2 };
  return { ...pod, metadata: { ...pod.metadata, ...(isDeleted ? deletion : {}), resourceVersion } };
}

test('a deletion is not forgotten when the echo of the report follows it', async () => {
  const pod = podOf({});
  const { worker, woken, changed } = await workerOn(pod, async () => {
    changed(version(pod, '8', true));
    changed(version(pod, '9', true)); // the report, on top of the deletion
    return version(pod, '9', true);
  });
  await worker.step(pod);
  expect(woken[0]).toBe('default/web');
  await worker.halt();
});

test('a deletion that shows only in the answer to the report is not missed', async () => {
  const pod = podOf({});
  const { worker, woken, changed } = await workerOn(pod, async () => version(pod, '9', true));
  worker.reject({ reason: 'OutOfcpu', message: 'too much' });
  await worker.step(pod);
  changed(version(pod, '9', true)); // the watch was interrupted, and tells of deletion and report as one
  expect(woken).toEqual(['default/web']);
});

test('the echo of a report does not wake the worker', async () => {
  const pod = podOf({});
  const { worker, woken, changed } = await workerOn(pod, async ({ body }) => {
    const { status } = body as Observed<Pod>;
    const stored = { ...version(pod, '9', false), status: { ...pod.status, ...status } };
    changed(stored);
    return stored;
  });
  worker.reject({ reason: 'OutOfcpu', message: 'too much' });
  await worker.step(pod);
  expect(woken).toEqual([]);
});

test('a report that the server applies only in part is not repeated', async () => {
  const pod = podOf({});
  let writes = 0;
  const stored = { ...version(pod, '9', false), status: { phase: 'Failed' } } as Observed<Pod>;
  const { worker, woken, changed } = await workerOn(pod, async () => {
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
