import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discardLogger, VirtualClock } from '../../base/index.ts';
import { skipWhen } from '../../base/testing/requires.ts';
import { DEFAULT_RULES, type ResourceRules } from '../../node/index.ts';
import { podOf } from '../../node/testing/pod-views.ts';
import { type CgroupOptions, checkCgroupOptions, DEFAULT_CGROUP_OPTIONS } from './cgroup-options.ts';
import { type CgroupTree, MOUNTED_AT } from './cgroup-tree.ts';
import { SplitTree } from './cgroup-tree-v1.ts';
import { UnifiedTree } from './cgroup-tree-v2.ts';
import { NodeCgroups } from './node-cgroups.ts';
import { propertiesOf, requireSystemd, startArguments } from './systemd-tree.ts';

const MEBIBYTE = 1024 * 1024;
const PAGES = [2 * MEBIBYTE];
const CAPACITY = { cpu: '2', memory: '1Gi', pid: '1000', 'hugepages-2Mi': '4Mi' };

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-cgroups-'));
  await writeFile(join(root, 'cgroup.controllers'), 'cpuset cpu io memory hugetlb pids\n');
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

interface Made {
  readonly tree: CgroupTree;
  readonly options?: Partial<CgroupOptions>;
  readonly rules?: Partial<ResourceRules>;
}

function cgroupsOf({ tree, options = {}, rules = {} }: Made): NodeCgroups {
  return new NodeCgroups({
    tree,
    options: { ...DEFAULT_CGROUP_OPTIONS, ...options },
    rules: { ...DEFAULT_RULES, cgroupVersion: tree.version, ...rules },
    capacity: CAPACITY,
    pageSizes: PAGES,
    clock: new VirtualClock(),
    log: discardLogger,
  });
}

type Resources = NonNullable<NonNullable<Parameters<typeof podOf>[0]['spec']>['containers']>[number]['resources'];

function pod(
  uid: string,
  qosClass: 'Guaranteed' | 'Burstable' | 'BestEffort',
  resources: Resources = {},
): ReturnType<typeof podOf> {
  return podOf({ metadata: { uid }, spec: { containers: [{ name: 'c', resources }] }, status: { qosClass } });
}

const small = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } };

describe('cgroups of version 2', () => {
  const file = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

  test('hold the allocatable resources of the node, and the shares of burstable pods', async () => {
    const tree = await UnifiedTree.open({ root, pageSizes: PAGES });
    const options = { systemReserved: { cpu: '500m', memory: '256Mi', pid: '100' } };
    const cgroups = cgroupsOf({ tree, options });
    await cgroups.start();
    expect(await file('cgroup.subtree_control')).toBe('+cpu +cpuset +memory +hugetlb +pids');
    expect(await file('kubepods/memory.max')).toBe(String(768 * MEBIBYTE));
    expect(await file('kubepods/cpu.weight')).toBe('59');
    expect(await file('kubepods/pids.max')).toBe('900');
    expect(await file('kubepods/hugetlb.2MB.max')).toBe(String(4 * MEBIBYTE));
    expect(await file('kubepods/besteffort/cpu.weight')).toBe('1');
    await cgroups.count(pod('a', 'Burstable', small));
    await cgroups.count(pod('b', 'Burstable', { requests: { cpu: '1' } }));
    await cgroups.count(pod('c', 'Guaranteed', { requests: { cpu: '1' } }));
    expect(await file('kubepods/burstable/cpu.weight')).toBe('43');
    await cgroups.discount('b');
    expect(await file('kubepods/burstable/cpu.weight')).toBe('4');
  });

  test('limit each pod, and are found and removed again', async () => {
    const tree = await UnifiedTree.open({ root, pageSizes: PAGES });
    const cgroups = cgroupsOf({ tree, options: { podPidsLimit: 50 } });
    await cgroups.start();
    const one = pod('1-2', 'Burstable', small);
    await cgroups.preparePod(one);
    expect(await file('kubepods/burstable/pod1-2/cpu.max')).toBe('20000 100000');
    expect(await file('kubepods/burstable/pod1-2/memory.max')).toBe(String(128 * MEBIBYTE));
    expect(await file('kubepods/burstable/pod1-2/pids.max')).toBe('50');
    expect(await file('kubepods/burstable/pod1-2/hugetlb.2MB.max')).toBe('0');
    expect(await cgroups.podLimits(one)).toEqual({
      cpuShares: 80,
      cpuQuota: 20_000,
      cpuPeriod: 100_000,
      memory: 128 * MEBIBYTE,
    });
    await cgroups.preparePod(pod('3', 'Guaranteed', small));
    expect((await cgroups.podUids()).toSorted()).toEqual(['1-2', '3']);
    const folder = join(root, 'kubepods/burstable/pod1-2');
    // the kernel removes the files of a cgroup with its folder
    for (const name of await readdir(folder)) await rm(join(folder, name));
    await cgroups.removePod('1-2');
    expect(await cgroups.podUids()).toEqual(['3']);
  });

  test('protect memory only when that is switched on', async () => {
    const tree = await UnifiedTree.open({ root, pageSizes: [] });
    const memoryQuality = { throttlingFactor: 0.9, isProtecting: true, allocatableMemory: 1 };
    const cgroups = cgroupsOf({ tree, rules: { memoryQuality } });
    await cgroups.start();
    await cgroups.count(pod('a', 'Burstable', small));
    await cgroups.count(pod('g', 'Guaranteed', small));
    expect(await file('kubepods/memory.min')).toBe(String(128 * MEBIBYTE));
    expect(await file('kubepods/burstable/memory.low')).toBe(String(64 * MEBIBYTE));
  });

  test('are slices with systemd, and below a root that exists', async () => {
    const tree = await UnifiedTree.open({ root, pageSizes: [] });
    const options = { cgroupDriver: 'systemd', cgroupRoot: '/node.slice' } as const;
    const cgroups = cgroupsOf({ tree, options });
    await expect(cgroups.start()).rejects.toThrow('Cannot use the cgroup root "/node.slice"');
    await mkdir(join(root, 'node.slice'));
    await cgroups.start();
    await cgroups.preparePod(pod('1-2', 'Burstable', small));
    const slices = 'node.slice/node-kubepods.slice/node-kubepods-burstable.slice';
    expect(await readdir(join(root, slices))).toContain('node-kubepods-burstable-pod1_2.slice');
    expect(await cgroups.podUids()).toEqual(['1-2']);
  });

  test('of the system and the agent get what is reserved for them, if asked to', async () => {
    const tree = await UnifiedTree.open({ root, pageSizes: [] });
    const options = {
      enforceNodeAllocatable: ['pods', 'system-reserved', 'kube-reserved-compressible'] as const,
      systemReserved: { memory: '100Mi' },
      kubeReserved: { cpu: '1', memory: '1Mi' },
      systemReservedCgroup: '/system',
      kubeReservedCgroup: '/agent',
    };
    const cgroups = cgroupsOf({ tree, options });
    await expect(cgroups.start()).rejects.toThrow('Cannot enforce reserved resources on the cgroup "/system"');
    for (const name of ['system', 'agent']) await mkdir(join(root, name));
    await cgroups.start();
    expect(await file('system/memory.max')).toBe(String(100 * MEBIBYTE));
    expect(await readdir(join(root, 'agent'))).toEqual(['cpu.weight']);
  });

  test('are not made where pods have none', async () => {
    const tree = await UnifiedTree.open({ root, pageSizes: [] });
    const cgroups = cgroupsOf({ tree, options: { cgroupsPerQOS: false, enforceNodeAllocatable: [] } });
    await cgroups.start();
    await cgroups.count(pod('a', 'Burstable', small));
    await cgroups.preparePod(pod('a', 'Burstable', small));
    expect(await readdir(root)).toEqual(['cgroup.controllers']);
  });
});

test('options that contradict each other are refused', () => {
  const check = (options: Partial<CgroupOptions>) => (): void =>
    checkCgroupOptions({ ...DEFAULT_CGROUP_OPTIONS, ...options });
  expect(check({ cgroupsPerQOS: false })).toThrow('enforceNodeAllocatable must be empty');
  expect(check({ enforceNodeAllocatable: ['system-reserved'] })).toThrow('systemReservedCgroup is not set');
});

describe('slices', () => {
  test('are started and limited by systemd, which is required', async () => {
    expect(startArguments('/kubepods.slice/kubepods-burstable.slice', 2).slice(4)).toEqual([
      'StartTransientUnit',
      'ssa(sv)a(sa(sv))',
      'kubepods-burstable.slice',
      'replace',
      ...['7', 'Description', 's', 'cgroup kubepods-burstable.slice'],
      ...['Wants', 'as', '1', 'kubepods.slice', 'MemoryAccounting', 'b', 'true', 'CPUAccounting', 'b', 'true'],
      ...['IOAccounting', 'b', 'true', 'TasksAccounting', 'b', 'true', 'DefaultDependencies', 'b', 'false', '0'],
    ]);
    expect(propertiesOf({ cpuShares: 1024, cpuQuota: 15_500, cpuPeriod: 100_000, memory: 5 }, 2)).toEqual([
      ['MemoryMax', 't', '5'],
      ['CPUWeight', 't', '39'],
      ['CPUQuotaPerSecUSec', 't', '160000'],
      ['CPUQuotaPeriodUSec', 't', '100000'],
    ]);
    await expect(requireSystemd(join(root, 'none'))).rejects.toThrow('systemd does not run on this machine');
  });
});

/** Why cgroups of this machine cannot be made; undefined when they can. */
function whyNoCgroups(): string | undefined {
  if (!existsSync(join(MOUNTED_AT, 'memory'))) return 'no cgroups of version 1';
  try {
    for (const name of ['cpu', 'cpuset', 'memory']) accessSync(join(MOUNTED_AT, name), constants.W_OK);
    return process.getuid?.() === 0 ? undefined : 'cgroups need root';
  } catch {
    return 'cgroups are read-only';
  }
}
const reason = whyNoCgroups();
const needs = skipWhen(reason !== undefined, reason ?? '');

describe('cgroups of version 1', () => {
  test('are limited by the kernel', needs, async () => {
    const own = `keelson-test-${process.pid}`;
    const tree = await SplitTree.open({ root: MOUNTED_AT, pageSizes: [] });
    await tree.create(`/${own}`);
    const cgroups = cgroupsOf({ tree, options: { cgroupRoot: `/${own}` } });
    try {
      await cgroups.start();
      await cgroups.count(pod('a', 'Burstable', small));
      await cgroups.preparePod(pod('a', 'Burstable', small));
      const read = (controller: string, path: string): Promise<string> =>
        readFile(join(MOUNTED_AT, controller, own, 'kubepods', path), 'utf8');
      expect(await read('memory', 'memory.limit_in_bytes')).toBe(`${1024 * MEBIBYTE}\n`);
      expect(await read('cpu', 'burstable/cpu.shares')).toBe('102\n');
      expect(await read('cpu', 'burstable/poda/cpu.cfs_quota_us')).toBe('20000\n');
      expect(await read('memory', 'burstable/poda/memory.limit_in_bytes')).toBe(`${128 * MEBIBYTE}\n`);
      expect(await read('cpuset', 'burstable/poda/cpuset.cpus')).not.toBe('\n');
      expect(await cgroups.podLimits(pod('a', 'Burstable'))).toMatchObject({ cpuShares: 102, memory: 128 * MEBIBYTE });
      await cgroups.setPodLimits(pod('a', 'Burstable'), { cpuQuota: -1, memory: 64 * MEBIBYTE });
      expect(await read('cpu', 'burstable/poda/cpu.cfs_quota_us')).toBe('-1\n');
      expect(await cgroups.podUids()).toEqual(['a']);
      await cgroups.removePod('a');
      expect(await cgroups.podUids()).toEqual([]);
    } finally {
      await tree.remove(`/${own}`);
    }
    await expect(rmdir(join(MOUNTED_AT, 'memory', own))).rejects.toThrow('ENOENT');
  });
});
