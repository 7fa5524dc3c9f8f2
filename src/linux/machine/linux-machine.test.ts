import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allocatableOf } from '../../node/index.ts';
import { formatCpuList, madeTopology, parseCpuList } from '../../assignment/index.ts';
import { makeMachine } from '../testing/made-machine.ts';
import { LinuxMachine, type LinuxMachineOptions } from './linux-machine.ts';
import { readTopology } from './read-topology.ts';
import { nodeAddresses } from './node-addresses.ts';
import { DEFAULT_EVICTION_HARD, reservedResources, thresholdAmount } from './reserved-resources.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-machine-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

const NOTHING = { systemReserved: {}, kubeReserved: {}, evictionHard: {} };

function options(more: Partial<LinuxMachineOptions> = {}): LinuxMachineOptions {
  return {
    ...NOTHING,
    folders: { root, podLogs: root },
    cgroupDriver: 'cgroupfs',
    addresses: ['10.0.0.1'],
    clusterServers: [],
    clusterDomain: '',
    resolvConf: '',
    maxPods: 110,
    kubeletVersion: 'v1.36.3',
    hostRoot: root,
    ...more,
  };
}

describe('what a machine is', () => {
  test('sockets, cores, caches and memory are read from the kernel', async () => {
    const made = { sockets: 2, nodesPerSocket: 2, coresPerNode: 2, threadsPerCore: 2, cachesPerNode: 2 };
    await makeMachine(root, made);
    const { processors, numaNodes } = await readTopology(join(root, 'sys'));
    expect(processors).toHaveLength(16);
    expect(processors[13]).toEqual({ cpu: 13, core: 5, socket: 1, numaNode: 2, uncoreCache: 5 });
    expect(numaNodes.map(({ distances }) => distances)[1]).toEqual([11, 10, 21, 21]);
    expect(numaNodes[3]?.memoryBytes).toBe(8 * 1024 ** 3);
  });

  test('processors that are offline do not count', async () => {
    await makeMachine(root, { sockets: 1, nodesPerSocket: 1, coresPerNode: 4, threadsPerCore: 1 });
    await writeFile(join(root, 'sys/devices/system/cpu/cpu2/online'), '0\n');
    const { capacity } = await LinuxMachine.measure(options());
    expect(capacity['cpu']).toBe('3');
  });

  test('identity, swap and huge pages are part of the report', async () => {
    await makeMachine(root, { sockets: 1, nodesPerSocket: 1, coresPerNode: 2, threadsPerCore: 1 });
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), text);
    };
    await write('etc/machine-id', 'abc\n');
    await write('etc/os-release', 'NAME="X"\nPRETTY_NAME="Some Linux 3"\n');
    await write('proc/sys/kernel/random/boot_id', 'boot\n');
    await write('proc/meminfo', 'MemTotal:       1048576 kB\nMemAvailable:   1000 kB\nSwapTotal:             1024 kB');
    await write('sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages', '3');
    const machine = await LinuxMachine.measure(options({ maxPods: 100, podsPerCore: 10 }));
    expect(machine.info).toMatchObject({
      machineID: 'abc',
      systemUUID: 'abc',
      bootID: 'boot',
      osImage: 'Some Linux 3',
      swapCapacity: 1024 * 1024,
    });
    expect(machine.capacity).toMatchObject({ memory: '1Gi', 'hugepages-2Mi': '6Mi', pods: '20' });
    expect(allocatableOf(machine)).toMatchObject({ memory: '1018Mi', 'hugepages-2Mi': '6Mi' });
  });

  test.skipIf(process.platform !== 'linux')('this machine has processors and memory', async () => {
    const machine = await LinuxMachine.measure(options({ hostRoot: '/' }));
    expect(Number(machine.capacity['cpu'])).toBeGreaterThan(0);
    const total = /MemTotal: +(\d+) kB/.exec(await readFile('/proc/meminfo', 'utf8'))?.[1];
    expect(machine.topology.processors.length).toBe(Number(machine.capacity['cpu']));
    expect(Number(total)).toBeGreaterThan(0);
  });
});

describe('what pods cannot have', () => {
  const capacity = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '10000', pods: '110' };

  test('is what system, agent and evictions keep, of what the machine has', () => {
    const reserved = reservedResources(capacity, {
      systemReserved: { cpu: '100m', memory: '1Gi', pid: '100' },
      kubeReserved: { cpu: '1', memory: '512Mi' },
      evictionHard: DEFAULT_EVICTION_HARD,
    });
    expect(reserved).toEqual({ cpu: '1100m', memory: '1636Mi', 'ephemeral-storage': '1k' });
    expect(allocatableOf({ capacity, reserved })).toMatchObject({ cpu: '2900m', memory: '6556Mi' });
  });

  test('is never more than there is', () => {
    const reserved = reservedResources(capacity, { ...NOTHING, systemReserved: { memory: '9Gi' } });
    expect(allocatableOf({ capacity, reserved })).toMatchObject({ memory: '0' });
  });

  test('shares of the capacity are computed as a kubelet does', () => {
    expect(thresholdAmount('10%', 101_430_960 * 1024)).toBe(10_386_530_458);
    expect(thresholdAmount('100Mi', 1)).toBe(100 * 1024 * 1024);
  });
});

describe('lists of processors', () => {
  test('are read and written as the kernel writes them', () => {
    expect(parseCpuList('0-2,7,4-5\n')).toEqual([0, 1, 2, 4, 5, 7]);
    expect(formatCpuList([7, 0, 1, 2, 4, 5])).toBe('0-2,4-5,7');
    expect(parseCpuList('')).toEqual([]);
    expect(() => parseCpuList('0-x')).toThrow('is no range');
  });
});

describe('addresses of a node', () => {
  test('that are not the machine’s are refused in a kubelet’s words', async () => {
    const refusal = (address: string): Promise<unknown> => nodeAddresses({ nodeIps: [address], hostname: 'n' });
    await expect(refusal('127.0.0.1')).rejects.toThrow("nodeIP can't be loopback address");
    await expect(refusal('224.0.0.1')).rejects.toThrow("nodeIP can't be a multicast address");
    await expect(refusal('203.0.113.7')).rejects.toThrow(
      'node IP: "203.0.113.7" not found in the host\'s network interfaces',
    );
  });

  test('a name that is an address is the address', async () => {
    expect(await nodeAddresses({ nodeIps: [], hostname: '192.0.2.9' })).toEqual(['192.0.2.9']);
  });
});

test('the topology of a made-up machine is the one that is read from the files of such a machine', async () => {
  for (const [sockets, nodesPerSocket, coresPerNode, threadsPerCore, cachesPerNode] of [
    [1, 1, 4, 1, 1],
    [2, 1, 4, 2, 1],
    [2, 2, 4, 2, 2],
  ] as const) {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-made-'));
    await makeMachine(folder, { sockets, nodesPerSocket, coresPerNode, threadsPerCore, cachesPerNode });
    const made = madeTopology({
      ...{ sockets, numaNodesPerSocket: nodesPerSocket, coresPerNumaNode: coresPerNode, threadsPerCore },
      ...{ cachesPerNumaNode: cachesPerNode, memoryPerNumaNodeBytes: 8 * 1024 ** 3 },
    });
    expect(await readTopology(join(folder, 'sys'))).toEqual(made);
    await rm(folder, { recursive: true });
  }
});
