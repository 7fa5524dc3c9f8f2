import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { assignmentMetrics, DEFAULT_ASSIGNMENT_OPTIONS, ResourceAssigner } from '../assignment/index.ts';
import { VirtualClock } from '../base/index.ts';
import { DeviceNode, idsOf, listed, RESOURCE } from '../devices/testing/device-node.ts';
import { podOf } from '../node/testing/pod-views.ts';
import { DiskCheckpoints } from '../system/index.ts';
import { readTopology } from './machine/read-topology.ts';
import { makeMachine } from './testing/made-machine.ts';

/** A guaranteed pod with two processors and some devices. */
function podWith(uid: string, devices: number): ReturnType<typeof podOf> {
  const resources = { cpu: '2', memory: '1Gi', [RESOURCE]: String(devices) };
  return podOf({
    metadata: { name: uid, uid },
    spec: { containers: [{ name: 'main', image: 'i', resources: { limits: resources, requests: resources } }] },
    status: { qosClass: 'Guaranteed' },
  });
}

test('processors and devices of a pod come from one NUMA node, or the pod is rejected', async () => {
  const root = await mkdtemp(join(tmpdir(), 'keelson-agreement-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await makeMachine(root, { sockets: 2, nodesPerSocket: 1, coresPerNode: 2, threadsPerCore: 2 });
  const topology = await readTopology(join(root, 'sys'));
  await using machine = await DeviceNode.create();
  const devices = await machine.open(topology.numaNodes.map(({ id }) => id));
  const near = (id: string, node: number): { readonly id: string; readonly numaNodes: readonly number[] } => ({
    id,
    numaNodes: [node],
  });
  await machine.startPlugin({ devices: [near('a0', 0), near('a1', 1), near('b1', 1)] });
  await listed(devices, 3);
  const assigner = await ResourceAssigner.open({
    options: {
      ...DEFAULT_ASSIGNMENT_OPTIONS,
      cpuManagerPolicy: 'static',
      topologyManagerPolicy: 'single-numa-node',
    },
    topology,
    reserved: { cpu: '1', memory: '1Gi' },
    checkpoints: new DiskCheckpoints(root),
    providers: [devices],
    clock: new VirtualClock(),
    metrics: assignmentMetrics(),
  });
  // at the same time: each agreement holds until its devices are allocated
  const [two, one] = await Promise.all([assigner.admit(podWith('two', 2)), assigner.admit(podWith('one', 1))]);
  expect([two, one]).toEqual([undefined, undefined]);
  expect(idsOf(devices, 'two')).toEqual(['a1', 'b1']);
  expect(idsOf(devices, 'one')).toEqual(['a0']);
  const nodeOf = (uid: string): number | undefined => {
    const { cpus } = assigner.given(uid, 'main');
    return topology.processors.find(({ cpu }) => cpu === cpus[0])?.numaNode;
  };
  expect([nodeOf('two'), nodeOf('one')]).toEqual([1, 0]);
  await assigner.release('one');
  await assigner.release('two');
  expect(await assigner.admit(podWith('three', 3))).toEqual({
    reason: 'TopologyAffinityError',
    message: 'Resources cannot be allocated with Topology locality',
  });
  expect(devices.podUids()).toEqual([]);
});
