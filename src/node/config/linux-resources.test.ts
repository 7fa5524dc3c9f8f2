import { describe, expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { podOf } from '../testing/pod-views.ts';
import { cgroupNameOf, cgroupPath, podCgroupName } from './cgroup-name.ts';
import { linuxResources, podCgroupLimits, sandboxResources } from './linux-resources.ts';
import { DEFAULT_RULES, type ResourceRules } from './resource-rules.ts';

const MEBIBYTE = 1024 * 1024;
const capacity = { cpu: '2', memory: '1000Mi', 'hugepages-2Mi': '4Mi' };

type Spec = NonNullable<Pod['spec']>;
type Quality = 'Guaranteed' | 'Burstable' | 'BestEffort';

function pod(spec: Partial<Spec>, qosClass: Quality = 'Burstable'): Observed<Pod> {
  return podOf({ metadata: { uid: '1-2' }, spec: { containers: [], ...spec }, status: { qosClass } });
}

const limited = {
  name: 'a',
  resources: { requests: { cpu: '100m', memory: '100Mi' }, limits: { cpu: '300m', memory: '200Mi' } },
};
const free = { name: 'b', resources: { requests: { cpu: '50m' } } };

describe('limits of a pod', () => {
  test('are there where all of its containers are limited', () => {
    const both = { cpuShares: 102, cpuQuota: 30_000, cpuPeriod: 100_000, memory: 200 * MEBIBYTE };
    expect(podCgroupLimits(pod({ containers: [limited] }))).toMatchObject(both);
    expect(podCgroupLimits(pod({ containers: [limited, free] }))).toEqual({ cpuShares: 153, hugePages: new Map() });
    expect(podCgroupLimits(pod({ containers: [free] }, 'BestEffort')).cpuShares).toBe(2);
  });

  test('of the pod as a whole come before those of its containers, which get them where they have none', () => {
    const resources = { requests: { cpu: '1', memory: '300Mi' }, limits: { cpu: '2', memory: '400Mi' } };
    const whole = pod({ resources, containers: [limited, free] });
    expect(podCgroupLimits(whole)).toMatchObject({ cpuShares: 1024, cpuQuota: 200_000, memory: 400 * MEBIBYTE });
    expect(linuxResources(whole, free, { capacity })).toMatchObject({
      cpuShares: 51,
      cpuQuota: 200_000,
      memoryLimitInBytes: 400 * MEBIBYTE,
    });
  });

  test('include overhead, of which the sandbox hears apart', () => {
    const spec = { containers: [limited], overhead: { cpu: '100m', memory: '10Mi' } };
    expect(podCgroupLimits(pod(spec))).toMatchObject({ cpuShares: 204, cpuQuota: 40_000, memory: 210 * MEBIBYTE });
    const { resources, overhead } = sandboxResources(pod(spec));
    expect(resources).toMatchObject({ cpuShares: 102, cpuQuota: 30_000, memoryLimitInBytes: 200 * MEBIBYTE });
    expect(overhead).toMatchObject({ cpuShares: 102, cpuQuota: 10_000, memoryLimitInBytes: 10 * MEBIBYTE });
  });

  test('hold huge pages, and have no quota where quotas are off', () => {
    const pages = { requests: { cpu: '1', memory: '1Mi', 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } };
    const limits = podCgroupLimits(pod({ containers: [{ name: 'a', resources: pages }] }));
    expect(limits.hugePages).toEqual(new Map([[2 * MEBIBYTE, 4 * MEBIBYTE]]));
    const rules = { ...DEFAULT_RULES, hasCpuQuota: false };
    expect(podCgroupLimits(pod({ containers: [limited] }), rules).cpuQuota).toBe(-1);
    expect(linuxResources(pod({}), limited, { capacity, rules })).toMatchObject({ cpuQuota: 0, cpuPeriod: 0 });
  });
});

describe('memory of a container', () => {
  const unified = (rules: Partial<ResourceRules>, container = limited, quality: Quality = 'Burstable'): unknown =>
    linuxResources(pod({ containers: [container] }, quality), container, {
      capacity,
      rules: { ...DEFAULT_RULES, cgroupVersion: 2, ...rules },
    }).unified;

  test('is protected and throttled only when that is switched on', () => {
    expect(unified({})).toBeUndefined();
    const memoryQuality = { throttlingFactor: 0.9, isProtecting: true, allocatableMemory: 900 * MEBIBYTE };
    const high = Math.floor((100 + 100 * Math.fround(0.9)) * 256) * 4096;
    expect(unified({ memoryQuality })).toEqual({ 'memory.low': String(100 * MEBIBYTE), 'memory.high': String(high) });
    expect(unified({ memoryQuality: { ...memoryQuality, isProtecting: false } })).toMatchObject({ 'memory.min': '0' });
    expect(unified({ killsWholeContainer: true })).toEqual({ 'memory.oom.group': '1' });
  });

  test('is swapped out by its share of what the node has, if at all', () => {
    expect(unified({ swap: { behavior: 'NoSwap', capacityBytes: 1000 } })).toEqual({ 'memory.swap.max': '0' });
    const swap = { behavior: 'LimitedSwap', capacityBytes: 1000 } as const;
    expect(unified({ swap })).toEqual({ 'memory.swap.max': '100' });
    expect(unified({ swap }, limited, 'Guaranteed')).toEqual({ 'memory.swap.max': '0' });
    const old = linuxResources(pod({}), limited, { capacity, rules: { ...DEFAULT_RULES, swap } });
    expect(old.memorySwapLimitInBytes).toBe(200 * MEBIBYTE);
  });
});

test('cgroups are named as the driver names them', () => {
  const name = podCgroupName(pod({}), { root: ['node', 'kubepods'], isPerPod: true });
  const slices = '/node.slice/node-kubepods.slice/node-kubepods-burstable.slice/node-kubepods-burstable-pod1_2.slice';
  expect(cgroupPath(name, 'cgroupfs')).toBe('/node/kubepods/burstable/pod1-2');
  expect(cgroupPath(name, 'systemd')).toBe(slices);
  expect(cgroupNameOf(slices, 'systemd')).toEqual(name);
});
