import { expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { type CgroupLimits, type NodeBackend, UNLIMITED } from '../backend/index.ts';
import type { LinuxContainerResources } from '../runtime/index.ts';
import { podOf } from '../testing/pod-views.ts';
import { TEST_MACHINE } from '../testing/test-machine.ts';
import { wantedBy } from './allocation.ts';
import { carryOutResize } from './carry-out-resize.ts';
import { planResize } from './resize-plan.ts';

type Needs = Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
const MEBIBYTE = 1024 * 1024;

function needs(cpu: string, memory: string): Needs {
  return { requests: { cpu, memory }, limits: { cpu, memory } };
}

function pod(...containers: readonly Needs[]): Observed<Pod> {
  return podOf({
    spec: { containers: containers.map((resources, index) => ({ name: `c${index}`, resources })) },
    status: { qosClass: 'Guaranteed' },
  });
}

interface Machine {
  readonly backend: NodeBackend;
  /** What was set, in order. */
  readonly log: string[];
}

/** A machine with the limits of a pod, and containers that use this much memory. */
function machineWith(limits: CgroupLimits, usedMemory: number): Machine {
  const log: string[] = [];
  const words = (values: object): string =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ');
  const backend = {
    machine: TEST_MACHINE,
    resources: {
      ...UNLIMITED,
      limits: async () => limits,
      setLimits: async (_pod: Observed<Pod>, set: CgroupLimits) => void log.push(`pod ${words(set)}`),
      memoryUsage: async () => usedMemory,
    },
    runtime: {
      updateContainerResources: async (id: string, set: LinuxContainerResources) => {
        const { cpuQuota, cpuShares, memoryLimitInBytes: memory } = set;
        log.push(`${id} ${words({ cpuShares, cpuQuota, memory: memory / MEBIBYTE })}`);
      },
      containerStats: async () => [{ id: 'c0', workingSetBytes: usedMemory }],
    },
  };
  return { backend: backend as unknown as NodeBackend, log };
}

async function resize(before: Observed<Pod>, after: Observed<Pod>, { backend }: Machine): Promise<void> {
  const running = (after.spec?.containers ?? []).map(({ name }) => ({ id: name, name }));
  const plan = planResize(after, wantedBy(before), running);
  if (plan === undefined) throw new Error('nothing to resize');
  const { signal } = new AbortController();
  await carryOutResize(after, backend, { plan, sandboxId: 's', signal, actuated: () => undefined });
}

test('a pod grows before its containers and shrinks after them; memory is changed before processors', async () => {
  const limits = { cpuShares: 204, cpuQuota: 20_000, cpuPeriod: 100_000, memory: 64 * MEBIBYTE };
  const machine = machineWith(limits, 1);
  await resize(pod(needs('200m', '64Mi')), pod(needs('100m', '128Mi')), machine);
  expect(machine.log).toEqual([
    `pod memory=${128 * MEBIBYTE}`,
    'c0 cpuShares=204 cpuQuota=20000 memory=128',
    'c0 cpuShares=102 cpuQuota=10000 memory=128',
    'pod cpuShares=102',
    'pod cpuPeriod=100000 cpuQuota=10000',
  ]);
});

test('containers that shrink make room for those that grow', async () => {
  const limits = { cpuShares: 409, cpuQuota: 40_000, cpuPeriod: 100_000, memory: 128 * MEBIBYTE };
  const machine = machineWith(limits, 1);
  const before = pod(needs('200m', '64Mi'), needs('200m', '64Mi'));
  await resize(before, pod(needs('300m', '64Mi'), needs('100m', '64Mi')), machine);
  expect(machine.log).toEqual([
    'c1 cpuShares=102 cpuQuota=10000 memory=64',
    'c0 cpuShares=307 cpuQuota=30000 memory=64',
  ]);
});

test('memory that is in use cannot be taken away', async () => {
  const machine = machineWith({ memory: 64 * MEBIBYTE }, 40 * MEBIBYTE);
  await expect(resize(pod(needs('1', '64Mi')), pod(needs('1', '32Mi')), machine)).rejects.toThrow(
    'cannot decrease memory limits: [attempting to set pod memory limit (33554432) below current usage (41943040), ' +
      'attempting to set container "c0" memory limit (33554432) below current usage (41943040)]',
  );
  expect(machine.log).toEqual([]);
});
