import { readFile } from 'node:fs/promises';
import type { NodeLife, Trial } from './node-life.ts';

const MEBIBYTE = 1024 ** 2;
/** Conditions go soon after their cause, so that the next trial can begin. */
const SOON = { evictionPressureTransitionPeriod: '5s' };
const SLEEP = 'sleep 100000';
const FILES = 19_000;
const PROCESSES = 900;

interface Shortage {
  /** What the greedy pod runs. */
  readonly script: string;
  readonly emptyDir?: object;
  readonly condition: string;
  /** As messages name it. */
  readonly resource: string;
  readonly signal: string;
}

/** The folder of the agent is a small file system of its own in these runs. */
export const evictions: readonly Trial[] = [
  {
    name: 'disk',
    settings: () => ({ ...SOON, evictionHard: { 'nodefs.available': '64Mi' } }),
    run: (life) =>
      expectEviction(life, {
        script: `dd if=/dev/zero of=/data/big bs=1M count=150; ${SLEEP}`,
        emptyDir: {},
        condition: 'DiskPressure',
        resource: 'ephemeral-storage',
        signal: 'nodefs.available',
      }),
  },
  {
    name: 'inodes',
    settings: () => ({ ...SOON, evictionHard: { 'nodefs.inodesFree': '10%' } }),
    run: (life) =>
      expectEviction(life, {
        script: `i=0; while [ $i -lt ${FILES} ]; do : > /data/$i; i=$((i+1)); done; ${SLEEP}`,
        emptyDir: {},
        condition: 'DiskPressure',
        resource: 'inodes',
        signal: 'nodefs.inodesFree',
      }),
  },
  {
    name: 'memory',
    settings: async () => {
      const total = Number(/^MemTotal: +(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]) * 1024;
      const systemReserved = { memory: String(total - 512 * MEBIBYTE) };
      return { ...SOON, systemReserved, evictionHard: { 'memory.available': '100Mi' } };
    },
    run: (life) =>
      expectEviction(life, {
        script: `dd if=/dev/zero of=/data/big bs=1M count=440; ${SLEEP}`,
        emptyDir: { medium: 'Memory', sizeLimit: '500Mi' },
        condition: 'MemoryPressure',
        resource: 'memory',
        signal: 'allocatableMemory.available',
      }),
  },
  {
    name: 'processes',
    settings: async () => ({ ...SOON, evictionHard: { 'pid.available': String((await freeProcesses()) - 400) } }),
    run: (life) =>
      expectEviction(life, {
        script: `i=0; while [ $i -lt ${PROCESSES} ]; do sleep 100000 & i=$((i+1)); done; wait`,
        condition: 'PIDPressure',
        resource: 'pids',
        signal: 'pid.available',
      }),
  },
];

async function freeProcesses(): Promise<number> {
  const [load, pidMax, threadsMax] = await Promise.all(
    ['/proc/loadavg', '/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max'].map((path) => readFile(path, 'utf8')),
  );
  const running = Number(/\d+\/(\d+)/.exec(load ?? '')?.[1]);
  return Math.min(Number(pidMax), Number(threadsMax)) - running;
}

/** A pod that takes too much is evicted; one beside it that takes nothing stays, and the node recovers. */
async function expectEviction(life: NodeLife, shortage: Shortage): Promise<void> {
  const { script, emptyDir, condition, resource, signal } = shortage;
  const before = await life.metric('kubelet_evictions', signal);
  await life.pod('quiet', SLEEP);
  await life.untilRunning('quiet');
  await life.pod('greedy', script, emptyDir === undefined ? {} : { emptyDir });
  await life.until(`an eviction for ${resource}`, async () => {
    const { status } = await life.get('greedy');
    if (status?.phase !== 'Failed') return `the pod is ${status?.phase}`;
    return status.reason === 'Evicted' ? undefined : `the pod ended with ${status.reason}: ${status.message}`;
  });
  const { message = '', conditions = [] } = (await life.get('greedy')).status ?? {};
  if (!message.startsWith(`The node was low on resource: ${resource}. Threshold quantity: `))
    throw new Error(`The message of the eviction is ${JSON.stringify(message)}`);
  const disruption = conditions.find(({ type }) => type === 'DisruptionTarget');
  if (disruption?.reason !== 'TerminationByKubelet')
    throw new Error(`The pod has the condition ${JSON.stringify(disruption)}`);
  await life.until(`${condition} gone`, async () => {
    const found = (await life.conditions()).get(condition);
    return found?.status === 'False' ? undefined : `it is ${found?.status}`;
  });
  const { status } = await life.get('quiet');
  if (status?.phase !== 'Running')
    throw new Error(`The pod that takes nothing is ${status?.phase}: ${status?.message}`);
  const counted = (await life.metric('kubelet_evictions', signal)) - before;
  if (counted < 1) throw new Error(`kubelet_evictions counts ${counted} evictions by ${signal}`);
}
