// The status of a node, from its backend.
import { expect, test } from 'vitest';
import type { Node, Observed } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';
import { type BackendContext, type DeviceResources, NO_DEVICES, type OpenNodeBackend } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
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

function conditionOf(
  status: Observed<Node>['status'],
  type: string,
): NonNullable<NonNullable<Observed<Node>['status']>['conditions']>[number] | undefined {
  return status?.conditions?.find((each) => each.type === type);
}
