import { expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { podOf } from '../testing/pod-views.ts';
import { pressureEviction, storageEviction } from './eviction-reasons.ts';
import { isCriticalPod, rankPods } from './rank-pods.ts';
import type { EvictionSignal, NodeMeasurement, PodMeasurement } from './signals.ts';
import { readThresholds } from './thresholds.ts';

interface Facts {
  readonly priority?: number;
  readonly memory?: readonly [used: number, requested: number];
  readonly disk?: readonly [used: number, requested: number];
  readonly logs?: number;
  readonly volume?: number;
  readonly processes?: number;
}

function pod(name: string, { priority = 0, memory = [0, 0], disk = [0, 0] }: Facts, spec: object = {}): Observed<Pod> {
  const requests = { memory: String(memory[1]), 'ephemeral-storage': String(disk[1]) };
  const containers = [{ name: 'c', image: 'i', resources: { requests } }];
  return podOf({ metadata: { name, uid: name }, spec: { priority, containers, ...spec } });
}

function usage({ memory = [0, 0], disk = [0, 0], logs = 0, volume = 0, processes = 0 }: Facts): PodMeasurement {
  const rootfs = { bytes: disk[0], inodes: disk[0] };
  const parts = { memoryBytes: memory[0], rootfs, logs: { bytes: logs, inodes: logs } };
  const volumes = new Map([['v', { bytes: volume, inodes: volume, isInMemory: false }]]);
  return { memoryBytes: memory[0], processes, containers: new Map([['c', parts]]), volumes };
}

const measured = (pods: Readonly<Record<string, Facts>>, hasImageFilesystem = false): NodeMeasurement => ({
  observations: new Map([['memory.available', { available: 80 * 1024 * 1024, capacity: 8 * 1024 ** 3 }]]),
  pods: new Map(Object.entries(pods).map(([name, facts]) => [name, usage(facts)])),
  hasImageFilesystem,
});

test.each<[EvictionSignal, Readonly<Record<string, Facts>>, readonly string[], boolean?]>([
  ['memory.available', { a: { memory: [5, 10] }, b: { memory: [11, 10] }, c: { memory: [50, 10] } }, ['c', 'b', 'a']],
  [
    'memory.available',
    { a: { memory: [50, 10], priority: 5 }, b: { memory: [11, 10] }, c: { memory: [9, 10], priority: -1 } },
    ['b', 'a', 'c'],
  ],
  ['pid.available', { a: { processes: 5, priority: 1 }, b: { processes: 2 }, c: { processes: 3 } }, ['c', 'b', 'a']],
  ['nodefs.available', { a: { disk: [9, 0] }, b: { logs: 5, volume: 6 }, c: { disk: [20, 30] } }, ['b', 'a', 'c']],
  ['nodefs.available', { a: { disk: [9, 0] }, b: { logs: 5 }, c: { volume: 6 } }, ['c', 'b', 'a'], true],
  ['imagefs.available', { a: { disk: [9, 0] }, b: { logs: 50 }, c: { disk: [10, 0] } }, ['c', 'a', 'b'], true],
  ['nodefs.inodesFree', { a: { disk: [1, 100] }, b: { disk: [2, 100] } }, ['b', 'a']],
])('with too little %s, pods go in the right order', (signal, facts, order, hasImageFilesystem) => {
  const pods = Object.entries(facts).map(([name, each]) => pod(name, each));
  const ranked = rankPods(pods, signal, measured(facts, hasImageFilesystem));
  expect(ranked.map(({ metadata }) => metadata.name)).toEqual(order);
});

test('pods that could not be measured go first', () => {
  const facts = { a: { memory: [50, 10] }, b: {} } as const;
  const ranked = rankPods([pod('a', facts.a), pod('b', facts.b)], 'memory.available', measured({ a: facts.a }));
  expect(ranked.map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
});

test('critical pods are those of the system, and those of the node itself', () => {
  expect(isCriticalPod(pod('a', { priority: 2_000_000_000 }))).toBe(true);
  expect(isCriticalPod(pod('a', { priority: 1_999_999_999 }))).toBe(false);
  const annotations = { 'kubernetes.io/config.source': 'file' };
  expect(isCriticalPod(podOf({ metadata: { name: 's', annotations }, spec: { containers: [] } }))).toBe(true);
});

test('the message says what the node was low on and who used more than requested', () => {
  const [threshold] = readThresholds({});
  if (threshold === undefined) throw new Error('there are thresholds by default');
  const facts = { a: { memory: [200 * 1024 * 1024, 104_857_600] } } as const;
  const about = { threshold, thresholds: [threshold], measured: measured(facts) };
  const { message, annotations } = pressureEviction(pod('a', facts.a), about);
  expect(message).toBe(
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. Container c was using 200Mi, request is 104857600, has larger consumption of memory. ',
  );
  expect(annotations).toEqual({
    offending_containers: 'c',
    offending_containers_usage: '200Mi',
    starved_resource: 'memory',
  });
});

const limited = { containers: [{ name: 'c', image: 'i', resources: { limits: { 'ephemeral-storage': '10' } } }] };
const volumes = [{ name: 'v', emptyDir: { sizeLimit: '5' } }];

test.each<[string | undefined, Facts, object]>([
  [undefined, { disk: [4, 0], logs: 6 }, limited],
  ['Pod ephemeral local storage usage exceeds the total limit of containers 10. ', { disk: [4, 0], logs: 7 }, limited],
  [
    'Container c exceeded its local ephemeral storage limit "10". ',
    { disk: [4, 0], logs: 7 },
    {
      containers: [
        ...limited.containers,
        { name: 'd', image: 'i', resources: { limits: { 'ephemeral-storage': '10' } } },
      ],
    },
  ],
  ['Usage of EmptyDir volume "v" exceeds the limit "5". ', { volume: 6 }, { volumes }],
  [undefined, { volume: 5 }, { volumes }],
])('local storage: %s', (message, facts, spec) => {
  const found = storageEviction(pod('a', facts, spec), usage(facts), { hasImageFilesystem: false });
  expect(found?.message).toBe(message);
});
