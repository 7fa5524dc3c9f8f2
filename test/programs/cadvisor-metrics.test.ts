// The families of `/metrics/cadvisor` that a kubelet 1.36.3 serves on a machine with cgroups of version 1, as recorded on a real node: each is
// served with its type and labels, or is absent for a reason.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CgroupFigures, CgroupSource } from '../../src/node/index.ts';
import { cadvisorMetrics } from '../../src/node/server/cadvisor-metrics.ts';
import { GROUPED, MACHINE } from './testing/grouped-node.ts';

/** Families that are not served, with the reason. */
const ABSENT = new Map([
  ['container_cpu_load_average_10s', 'a kubelet does not measure it: it is 0 there'],
  ['container_cpu_load_d_average_10s', 'a kubelet does not measure it: it is 0 there'],
  ['container_tasks_state', 'a kubelet does not measure it: it is 0 there'],
  ['container_health_state', 'there are no checks of health: a kubelet says -1 of the machine'],
  ['machine_cpu_books', 'processors of mainframes only'],
  ['machine_cpu_drawers', 'processors of mainframes only'],
  ['machine_nvm_avg_power_budget_watts', 'memory modules are not looked at'],
  ['machine_nvm_capacity', 'memory modules are not looked at'],
]);

const pressure = { total: 1, avg10: 0, avg60: 0, avg300: 0 };
const packets = { bytes: 1, packets: 2, errors: 3, dropped: 4 };
const transfer = { completed: 1, merged: 2, sectors: 3, seconds: 4 };

/** Everything that can be counted. */
const FIGURES: CgroupFigures = {
  atMs: 2000,
  createdAtMs: 1000,
  cpu: {
    ...{ totalSeconds: 3, userSeconds: 2, systemSeconds: 1, shares: 102, periodMicroseconds: 100_000 },
    quotaMicroseconds: 20_000,
    throttling: { periods: 5, throttledPeriods: 4, throttledSeconds: 3, burstPeriods: 2, burstSeconds: 1 },
  },
  memory: {
    ...{ usage: 1, workingSet: 2, cache: 3, rss: 4, swap: 5, mappedFile: 6, activeFile: 7, inactiveFile: 8, kernel: 9 },
    ...{ maxUsage: 10, limitHits: 11, pageFaults: 12, majorPageFaults: 13, ownPageFaults: 14, ownMajorPageFaults: 15 },
    ...{ kills: 16, limit: 17, swapLimit: 18, reservation: 19 },
  },
  processes: { count: 1, descriptors: 2, sockets: 3, threads: 4, maxThreads: 5, maxOpenFiles: 6 },
  pressure: { cpu: { some: pressure, full: pressure } },
  interfaces: [{ name: 'eth0', received: packets, sent: packets }],
  disks: [
    {
      ...{ device: '/dev/sda', major: 8, minor: 0 },
      bytes: new Map([['Read', 1]]),
      operations: new Map([['Write', 2]]),
      cost: new Map([['usage', 3]]),
    },
  ],
  filesystems: [
    {
      ...{ device: '/dev/sda1', capacityBytes: 1, usedBytes: 2, inodes: 3, inodesFree: 4, inProgress: 5 },
      ...{ busySeconds: 6, weightedSeconds: 7, reads: transfer, writes: transfer },
    },
  ],
};

const cgroups: CgroupSource = {
  processors: { physicalCores: 4, sockets: 1 },
  children: async () => ['cri-containerd-sandbox1.scope', 'cri-containerd-container1.scope'],
  read: async (path, { network }) => {
    if (path === '/kubepods/besteffort') return undefined; // there is no such cgroup
    const { interfaces, filesystems, ...own } = FIGURES;
    const ofNetwork = network === 'none' || interfaces === undefined ? {} : { interfaces };
    return { ...own, ...ofNetwork, ...(path === '/' && filesystems !== undefined ? { filesystems } : {}) };
  },
};

const node = { ...GROUPED, backend: { ...GROUPED.backend, machine: MACHINE, cgroups } };

interface Served {
  readonly type: string;
  readonly labels: readonly string[];
}

async function served(): Promise<ReadonlyMap<string, Served>> {
  const text = await cadvisorMetrics(node, 5000);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Map(
    types.map(([, name = '', type = '']) => {
      const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
      const labels = new Set(lines.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
      return [name, { type, labels: [...labels].toSorted() }];
    }),
  );
}

test('each family of cAdvisor is served with its type and labels, or absent for a reason', async () => {
  const families = await served();
  const text = await readFile(join(import.meta.dirname, 'testdata', 'cadvisor-metrics.txt'), 'utf8');
  const problems = text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [name = '', type = '', labels = ''] = line.split(' ');
      const found = families.get(name);
      if (found === undefined) return ABSENT.has(name) ? [] : [`${name} is absent without a reason`];
      if (ABSENT.has(name)) return [`${name} is served, but listed as absent`];
      if (found.type !== type) return [`${name} is a ${found.type}, upstream a ${type}`];
      const own = found.labels.join(',');
      return own === labels ? [] : [`${name} has the labels ${own}, upstream ${labels}`];
    });
  expect(problems).toEqual([]);
});

test('groups are the machine, all pods, their classes, a pod, its sandbox and its containers', async () => {
  const text = await cadvisorMetrics(node, 5000);
  const lines = text.split('\n').filter((line) => line.startsWith('container_memory_rss{'));
  const of = (label: string): readonly string[] =>
    lines.map((line) => new RegExp(`\\b${label}="([^"]*)"`).exec(line)?.[1] ?? '?');
  expect(of('id')).toEqual([
    '/',
    '/kubepods',
    '/kubepods/burstable',
    '/kubepods/burstable/pod1',
    '/kubepods/burstable/pod1/cri-containerd-sandbox1.scope',
    '/kubepods/burstable/pod1/cri-containerd-container1.scope',
  ]);
  expect(of('pod')).toEqual(['', '', '', 'web', 'web', 'web']);
  expect(of('container')).toEqual(['', '', '', '', '', 'main']);
  expect(of('name')).toEqual(['', '', '', '', 'sandbox1', 'container1']);
});

test('the network is counted once for each pod, with its sandbox', async () => {
  const text = await cadvisorMetrics(node, 5000);
  const lines = text.split('\n').filter((line) => line.startsWith('container_network_receive_bytes_total{'));
  expect(lines.map((line) => /\bname="([^"]*)"/.exec(line)?.[1])).toEqual(['', 'sandbox1']);
});
