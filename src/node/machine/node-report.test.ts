// The status of a node, from its backend.
import { expect, test } from 'vitest';
import { mergePatch, type Node, type Observed } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';
import { type BackendContext, type DeviceResources, NO_DEVICES, type OpenNodeBackend } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { MemoryImages } from '../testing/memory-images.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

const GPU = 'example.com/gpu';

test('allocatable is capacity less what the machine reserves', async () => {
  await using cluster = await NodeCluster.start(nodeAgents({ backend: new MemoryMachine().open }));
  const { status } = await cluster.client.core.v1.nodes.get('keelson');
  expect(status?.capacity).toEqual({ cpu: '4', memory: '8Gi', pods: '20' });
  expect(status?.allocatable).toEqual({ cpu: '3', memory: '8Gi', pods: '20' });
});

test('a full disk becomes a condition, an event and a taint, until there is room again', async () => {
  const memory = new MemoryMachine();
  let disk = false;
  const nodeBackend: OpenNodeBackend = async (node, context) => {
    const backend = await memory.open(node, context);
    return { ...backend, machine: { ...backend.machine, pressure: async () => ({ memory: false, disk, pid: false }) } };
  };
  await using cluster = await startCluster({ nodeBackend });
  const look = async (): Promise<unknown> => {
    const { spec, status } = await cluster.client.core.v1.nodes.get('keelson');
    const { status: value, reason, message } = conditionOf(status, 'DiskPressure') ?? {};
    return { value, reason, message, taints: spec?.taints?.map(({ key, effect }) => `${key}:${effect}`) ?? [] };
  };
  const reasons = async (): Promise<readonly unknown[]> =>
    (await cluster.client.core.v1.events.list()).items.map(({ reason }) => reason);
  disk = true;
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect(await look()).toEqual({
    value: 'True',
    reason: 'KubeletHasDiskPressure',
    message: 'kubelet has disk pressure',
    taints: ['node.kubernetes.io/disk-pressure:NoSchedule'],
  });
  expect(await reasons()).toContain('NodeHasDiskPressure');
  disk = false;
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect(await look()).toEqual({
    value: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
    taints: [],
  });
});

test('resources of devices follow the devices; resources without devices are reported as zero', async () => {
  const memory = new MemoryMachine();
  let resources: DeviceResources = NO_DEVICES.resources();
  let changed: BackendContext['changed'] = () => undefined;
  const backend: OpenNodeBackend = async (node, context) => {
    changed = () => context.changed();
    return { ...(await memory.open(node, context)), devices: { ...NO_DEVICES, resources: () => resources } };
  };
  await using cluster = await NodeCluster.start(nodeAgents({ backend }));
  const look = async (): Promise<unknown> => {
    changed();
    await cluster.settle();
    const { status } = await cluster.client.core.v1.nodes.get('keelson');
    return [status?.capacity?.[GPU], status?.allocatable?.[GPU]];
  };
  expect(await look()).toEqual([undefined, undefined]);
  resources = { capacity: { [GPU]: '4' }, allocatable: { [GPU]: '3' } };
  expect(await look()).toEqual(['4', '3']);
  resources = NO_DEVICES.resources();
  expect(await look()).toEqual(['0', '0']);
  resources = { capacity: { [GPU]: '2' }, allocatable: { [GPU]: '2' } };
  expect(await look()).toEqual(['2', '2']);
});

test('the runtime gets the pod ranges of the node as soon as they are assigned, and again after it has refused them', async () => {
  const memory = new MemoryMachine();
  const sent: string[] = [];
  let isRefused = false;
  const nodeBackend: OpenNodeBackend = async (node, context) => {
    const backend = await memory.open(node, context);
    const updateRuntimeConfig = async ({ podCidr }: { readonly podCidr: string }): Promise<void> => {
      sent.push(podCidr);
      if (isRefused) throw new Error('not now');
    };
    return { ...backend, runtime: { ...backend.runtime, updateRuntimeConfig } };
  };
  await using cluster = await NodeCluster.start(nodeAgents({ backend: nodeBackend, podCidrs: () => [] }));
  isRefused = true;
  const podCIDRs = ['10.9.0.0/24', 'fd00:9::/64'];
  await cluster.client.core.v1.nodes.patch('keelson', mergePatch({ spec: { podCIDR: podCIDRs[0], podCIDRs } }));
  await cluster.settle();
  expect(sent).toEqual(['10.9.0.0/24,fd00:9::/64']);

  isRefused = false;
  await cluster.clock.advance('10m');
  await cluster.settle();
  expect(sent).toEqual(['10.9.0.0/24,fd00:9::/64', '10.9.0.0/24,fd00:9::/64']);
});

function conditionOf(
  status: Observed<Node>['status'],
  type: string,
): NonNullable<NonNullable<Observed<Node>['status']>['conditions']>[number] | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

test('a node has the id of its provider, as many images as it may report, and a lease of the configured length', async () => {
  const memory = new MemoryMachine();
  const backend: OpenNodeBackend = async (node, context) => ({
    ...(await memory.open(node, context)),
    images: new MemoryImages(['a', 'b', 'c']),
  });
  const reporting = { providerId: 'cloud://7', maxImages: 2, leaseDuration: '2m' } as const;
  await using cluster = await NodeCluster.start(nodeAgents({ backend, reporting }));
  await cluster.advance('2m');
  const { spec, status } = await cluster.client.core.v1.nodes.get('keelson');
  expect(spec?.providerID).toBe('cloud://7');
  expect(status?.images).toHaveLength(2);
  const renewed = async (): Promise<unknown> => {
    const lease = await cluster.client.coordination.v1.leases.namespace('kube-node-lease').get('keelson');
    expect(lease.spec?.leaseDurationSeconds).toBe(120);
    return lease.spec?.renewTime;
  };
  const times = new Set<unknown>();
  for (let turn = 0; turn < 30; turn++) {
    await cluster.advance('10s');
    times.add(await renewed());
  }
  expect([9, 10, 11]).toContain(times.size); // in five minutes
});

test('a node that does not register waits for its object, then reports, and leaves labels and taints alone', async () => {
  const taints = [{ key: 'own', effect: 'NoSchedule' }] as const;
  const backend = new MemoryMachine().open;
  await using cluster = await NodeCluster.start(nodeAgents({ backend, taints, reporting: { registers: false } }));
  await cluster.advance('1m');
  expect((await cluster.client.core.v1.nodes.list()).items).toEqual([]);
  await cluster.client.core.v1.nodes.create({ metadata: { name: 'keelson', labels: { by: 'someone' } } });
  await cluster.advance('1m');
  const { metadata, spec, status } = await cluster.client.core.v1.nodes.get('keelson');
  expect(metadata.labels).toEqual({ by: 'someone' });
  expect(spec?.taints).toBeUndefined();
  expect(conditionOf(status, 'Ready')?.status).toBe('True');
});

test('the controller of a cloud completes a node: a taint awaits it, and the addresses that it writes are kept', async () => {
  const backend = new MemoryMachine().open;
  await using cluster = await NodeCluster.start(nodeAgents({ backend, reporting: { hasExternalCloud: true } }));
  const look = (): Promise<Observed<Node>> => cluster.client.core.v1.nodes.get('keelson');
  const node = await look();
  expect(node.spec?.taints).toEqual([
    { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  ]);
  expect(node.status?.addresses).toEqual([{ type: 'Hostname', address: 'keelson' }]);
  const addresses = [{ type: 'InternalIP', address: '192.0.2.7' }] as const;
  await cluster.client.core.v1.nodes.status.patch('keelson', mergePatch({ status: { addresses } }));
  await cluster.advance('20m');
  expect((await look()).status?.addresses).toEqual(addresses);
});

test('addresses that an administrator has chosen are reported until the controller of the cloud has written its own', async () => {
  const reporting = { hasExternalCloud: true, chosenAddresses: ['10.0.0.1'] };
  await using cluster = await NodeCluster.start(nodeAgents({ backend: new MemoryMachine().open, reporting }));
  const { metadata, status } = await cluster.client.core.v1.nodes.get('keelson');
  expect(metadata.annotations?.['alpha.kubernetes.io/provided-node-ip']).toBe('10.0.0.1');
  expect(status?.addresses?.[0]).toEqual({ type: 'InternalIP', address: '10.0.0.1' });
});

test('the longest delay before a container that fails again and again is started can be shortened', async () => {
  const memory = new MemoryMachine();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: memory.open, maxRestartDelay: '1s' }));
  await cluster.run({ metadata: { name: 'web' } });
  for (let crash = 0; crash < 3; crash++) {
    const [newest] = [...memory.containers.values()].toReversed();
    memory.exit(newest?.id ?? '', 1, cluster.clock.now());
    await cluster.advance('2s');
  }
  const { status } = await cluster.pods.get('web');
  expect(status?.containerStatuses?.[0]?.restartCount).toBe(3);
});
