import { expect, test } from 'vitest';
import { nodeAgent, type NodeAgent } from '../node/index.ts';
import { NodeCluster } from '../node/testing/node-cluster.ts';
import { startCluster } from '../testing/index.ts';
import { assignedBackend, readSimulatedMachine, shapeMachine } from './assigned.ts';
import { simulatedBackend, type SimulatedMachine } from './index.ts';

const MACHINE: SimulatedMachine = {
  sockets: 2,
  numaNodesPerSocket: 2,
  coresPerNumaNode: 2,
  threadsPerCore: 2,
  memoryPerNumaNode: '4Gi',
  systemReserved: { cpu: '1', memory: '1Gi' },
  cpuManagerPolicy: 'static',
  memoryManagerPolicy: 'Static',
  reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
  topologyManagerPolicy: 'single-numa-node',
};

/** A pod whose container prints each second where it may run, for as long as the others come and go. */
function podSpec(cpu: string, isGuaranteed = true): object {
  const script = 'while true; do cat /sys/fs/cgroup/cpuset.cpus.effective /sys/fs/cgroup/cpuset.mems; sleep 1; done';
  const limits = { cpu, memory: '1Gi' };
  const requests = isGuaranteed ? limits : { cpu: '100m' };
  return {
    containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script], resources: { limits, requests } }],
  };
}

test('a guaranteed container of a simulated machine sees the processors and the memory of one NUMA node, and all others the rest', async () => {
  const machine = shapeMachine(MACHINE);
  let agent: NodeAgent | undefined;
  const node = nodeAgent({
    backend: async (settings, context) =>
      await assignedBackend(await simulatedBackend(machine.resources)(settings, context), machine, {
        ...context,
        providers: [],
      }),
    onAgent: (made) => (agent = made),
  });
  await using cluster = await NodeCluster.start(node);
  const placesOf = async (name: string): Promise<string> => {
    await cluster.advance('2s');
    const all: Uint8Array[] = [];
    const { signal } = new AbortController();
    for await (const bytes of agent?.streams.logs(`default/${name}`, 'main', { signal }) ?? []) all.push(bytes);
    return Buffer.concat(all).toString().trim().split('\n').slice(-2).join(' on ');
  };
  const run = (name: string, spec: object): Promise<unknown> =>
    cluster.run({ metadata: { name }, spec } as Parameters<NodeCluster['run']>[0]);
  await run('one', podSpec('1'));
  expect(await placesOf('one')).toBe('8 on 0');
  await run('own', podSpec('4'));
  expect(await placesOf('own')).toBe('2-3,10-11 on 1');
  await run('more', podSpec('3'));
  expect(await placesOf('more')).toMatch(/ on [023]$/);
  expect(await placesOf('own')).toBe('2-3,10-11 on 1');
  await run('wide', podSpec('5'));
  expect((await cluster.pods.get('wide')).status).toMatchObject({ phase: 'Failed', reason: 'TopologyAffinityError' });
  await cluster.stopNodes();
  await cluster.startNodes();
  expect(await placesOf('own')).toMatch(/^[\d,-]+ on [0-3]$/);
});

test('a container that is not restricted sees the whole machine', async () => {
  const machine = shapeMachine({ sockets: 2, coresPerNumaNode: 2 });
  let agent: NodeAgent | undefined;
  const node = nodeAgent({
    backend: async (settings, context) =>
      await assignedBackend(await simulatedBackend(machine.resources)(settings, context), machine, {
        ...context,
        providers: [],
      }),
    onAgent: (made) => (agent = made),
  });
  await using cluster = await NodeCluster.start(node);
  await cluster.run({ metadata: { name: 'any' }, spec: podSpec('1') } as Parameters<NodeCluster['run']>[0]);
  await cluster.advance('1s');
  const all: Uint8Array[] = [];
  const { signal } = new AbortController();
  for await (const bytes of agent?.streams.logs('default/any', 'main', { signal }) ?? []) all.push(bytes);
  expect(Buffer.concat(all).toString()).toContain('0-3\n0-1\n');
});

test('a cluster has simulated machines, and rejects pods that fit into no NUMA node', async () => {
  await using cluster = await startCluster({ simulatedMachine: MACHINE });
  const [node] = (await cluster.client.core.v1.nodes.list()).items;
  expect(node?.status?.capacity).toMatchObject({ cpu: '16', memory: '16Gi' });
  expect(node?.status?.allocatable).toMatchObject({ cpu: '15', memory: '15Gi' });
  const pods = cluster.client.core.v1.pods.namespace('default');
  const resources = { limits: { cpu: '5', memory: '1Gi' } };
  await pods.create({ metadata: { name: 'wide' }, spec: { containers: [{ name: 'c', image: 'i', resources }] } });
  await cluster.settle();
  expect((await pods.get('wide')).status).toMatchObject({
    phase: 'Failed',
    reason: 'TopologyAffinityError',
    message: expect.stringContaining('Resources cannot be allocated with Topology locality') as string,
  });
});

test('the machine of a file is refused when there cannot be one', () => {
  const head = 'apiVersion: keelson.dev/v1\nkind: SimulatedMachine\n';
  expect(readSimulatedMachine(`${head}sockets: 2\ncoresPerNumaNode: 4\n`, 'm.yaml')).toEqual({
    ...{ apiVersion: 'keelson.dev/v1', kind: 'SimulatedMachine', sockets: 2, coresPerNumaNode: 4 },
  });
  for (const [fields, message] of [
    ['sockets: 2', 'Cannot simulate the machine of "m.yaml": coresPerNumaNode: Required value'],
    ['coresPerNumaNode: 0', 'A machine cannot have coresPerNumaNode: 0: need an integer >= 1'],
    ['coresPerNumaNode: 3\ncachesPerNumaNode: 2', '3 cores of a NUMA node cannot share 2 caches'],
    ['coresPerNumaNode: 1\nsockets: 17\ntopologyManagerPolicy: best-effort', 'A machine cannot have 17 NUMA nodes'],
    ['coresPerNumaNode: 1\ncpuManagerPolicy: fast', 'cpuManagerPolicy: Unsupported value: "fast"'],
    ['coresPerNumaNode: 1\nmemoryPerNumaNode: much', 'A machine cannot have memoryPerNumaNode: "much"'],
    ['coresPerNumaNode: 1\ncolor: red', 'unknown field "color"'],
    [
      'coresPerNumaNode: 2\ncpuManagerPolicy: static',
      'requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
    ],
    [
      'coresPerNumaNode: 1\nsockets: 9\ntopologyManagerPolicy: restricted',
      'unsupported on machines with more than 8 NUMA Nodes',
    ],
  ])
    expect(() => readSimulatedMachine(`${head}${fields}\n`, 'm.yaml')).toThrow(message);
});
