import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import type { TestCluster } from '../../testing/index.ts';
import { eventsIn, startWith } from '../testing/controller-cluster.ts';
import { createNode, postStatus, renewLease, taintsOf } from '../testing/nodes.ts';
import { nodeLifecycleController } from './node-lifecycle.ts';

async function start(nodeCount: number): Promise<TestCluster> {
  const cluster = await startWith(nodeLifecycleController());
  for (let index = 1; index <= nodeCount; index++) await createNode(cluster.client, `n${index}`);
  await cluster.clock.advance('5s');
  return cluster;
}

/** Advances time while these nodes renew their leases. */
async function passTime(cluster: TestCluster, seconds: number, alive: readonly string[]): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    for (const name of alive) await renewLease(cluster.client, name);
    await cluster.clock.advance('5s');
  }
}

async function readiness(cluster: TestCluster, name: string): Promise<string> {
  const { status } = await cluster.client.core.v1.nodes.get(name);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${ready?.status} ${ready?.reason}: ${ready?.message}`;
}

test('a new node gets a RegisteredNode event, labels and taints', async () => {
  await using cluster = await startWith(nodeLifecycleController());
  const { client } = cluster;
  await createNode(client, 'n1', { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' });
  await client.core.v1.nodes.patch('n1', mergePatch({ spec: { unschedulable: true } }));
  await cluster.settle();

  expect(await taintsOf(client, 'n1')).toEqual(['unschedulable:NoSchedule']);
  expect((await client.core.v1.nodes.get('n1')).metadata.labels).toMatchObject({
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': 'amd64',
  });
  await client.core.v1.nodes.patch('n1', mergePatch({ spec: { unschedulable: null } }));
  await cluster.clock.advance('5s');
  expect(await taintsOf(client, 'n1')).toEqual([]);
  expect(await eventsIn(cluster.client)).toEqual([
    'node-controller about Node n1: Normal RegisteredNode: Node n1 event: Registered Node n1 in Controller',
  ]);
});

test('a node that reports not ready is tainted NoSchedule at once, and NoExecute at its turn', async () => {
  await using cluster = await start(3);
  const { client } = cluster;

  await postStatus(client, 'n1', 'False');
  await cluster.settle();
  expect(await taintsOf(client, 'n1')).toEqual(['not-ready:NoSchedule']);

  await cluster.clock.advance('5s');
  expect(await taintsOf(client, 'n1')).toEqual(['not-ready:NoSchedule', 'not-ready:NoExecute']);

  await postStatus(client, 'n1', 'True');
  await cluster.settle();
  expect(await taintsOf(client, 'n1')).toEqual(['not-ready:NoExecute']);
  await cluster.clock.advance('5s');
  expect(await taintsOf(client, 'n1')).toEqual([]);
});

test('the conditions of a silent node become Unknown, and its pods are not ready', async () => {
  await using cluster = await start(3);
  const { client } = cluster;
  const pods = client.core.v1.pods.namespace('default');
  const pod = await pods.create({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1' },
  });
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await pods.status.update({ ...pod, status: { phase: 'Running', conditions } });

  await passTime(cluster, 45, ['n2', 'n3']);
  expect(await readiness(cluster, 'n1')).toBe('True Test: by hand');
  await passTime(cluster, 10, ['n2', 'n3']);

  expect(await readiness(cluster, 'n1')).toBe('Unknown NodeStatusUnknown: Kubelet stopped posting node status.');
  expect(await readiness(cluster, 'n2')).toBe('True Test: by hand');
  const { status } = await client.core.v1.nodes.get('n1');
  expect(status?.conditions?.map((condition) => condition.status)).toEqual(Array(4).fill('Unknown'));
  expect(await taintsOf(client, 'n1')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
  expect((await pods.get('p')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
  const events = await eventsIn(cluster.client);
  expect(events).toContain('node-controller about Node n1: Normal NodeNotReady: Node n1 status is now: NodeNotReady');
  expect(events).toContain('node-controller about Pod p: Warning NodeNotReady: Node is not ready');

  await postStatus(client, 'n1', 'False');
  await passTime(cluster, 5, ['n1', 'n2', 'n3']);
  expect(await taintsOf(client, 'n1')).toEqual(['not-ready:NoSchedule', 'not-ready:NoExecute']);
});

test('a node that never reports its status is lost after a minute', async () => {
  await using cluster = await start(2);
  await cluster.client.core.v1.nodes.create({ metadata: { name: 'mute' } });

  await passTime(cluster, 60, ['n1', 'n2']);
  expect(await readiness(cluster, 'mute')).toBe('undefined undefined: undefined');
  await passTime(cluster, 5, ['n1', 'n2']);

  expect(await readiness(cluster, 'mute')).toBe('Unknown NodeStatusNeverUpdated: Kubelet never posted node status.');
});

test('nodes are tainted NoExecute one after the other', async () => {
  await using cluster = await start(7);
  const alive = ['n3', 'n4', 'n5', 'n6', 'n7'];

  await passTime(cluster, 55, alive);
  const evicting = async (): Promise<string[]> => {
    const tainted: string[] = [];
    for (const name of ['n1', 'n2']) {
      if ((await taintsOf(cluster.client, name)).includes('unreachable:NoExecute')) tainted.push(name);
    }
    return tainted;
  };
  expect(await evicting()).toEqual(['n1']);
  await cluster.clock.advance('4s');
  expect(await evicting()).toEqual(['n1']);
  await cluster.clock.advance('1s');
  expect(await evicting()).toEqual(['n1', 'n2']);
});

test('when all nodes are silent none is tainted NoExecute: the cause must be elsewhere', async () => {
  await using cluster = await start(2);

  await cluster.clock.advance('10m');

  expect(await readiness(cluster, 'n1')).toContain('Unknown NodeStatusUnknown');
  expect(await taintsOf(cluster.client, 'n1')).toEqual(['unreachable:NoSchedule']);
  expect(await taintsOf(cluster.client, 'n2')).toEqual(['unreachable:NoSchedule']);

  await postStatus(cluster.client, 'n1', 'True');
  await passTime(cluster, 20, ['n1']);
  expect(await taintsOf(cluster.client, 'n1')).toEqual([]);
  expect(await taintsOf(cluster.client, 'n2')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
});

test('when the last node falls silent too, the NoExecute taints are removed', async () => {
  await using cluster = await start(3);
  await passTime(cluster, 60, ['n2', 'n3']);
  expect(await taintsOf(cluster.client, 'n1')).toContain('unreachable:NoExecute');

  await cluster.clock.advance('1m');

  expect(await readiness(cluster, 'n2')).toContain('Unknown');
  expect(await taintsOf(cluster.client, 'n1')).toEqual(['unreachable:NoSchedule']);
});

test('a pod that is bound to an unready node is marked as not ready', async () => {
  await using cluster = await start(2);
  await postStatus(cluster.client, 'n1', 'False');
  await cluster.settle();
  const pods = cluster.client.core.v1.pods.namespace('default');
  const pod = await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await pods.status.update({ ...pod, status: { phase: 'Pending', conditions } });

  await pods.subresource('binding').create('p', {
    metadata: { name: 'p' },
    target: { kind: 'Node', name: 'n1' },
  } as never);
  await cluster.settle();

  const ready = (await pods.get('p')).status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.status).toBe('False');
});

test('a deleted node gets a RemovingNode event', async () => {
  await using cluster = await start(2);
  await cluster.client.core.v1.nodes.delete('n1');
  await cluster.clock.advance('5s');

  expect(await eventsIn(cluster.client)).toContain(
    'node-controller about Node n1: Normal RemovingNode: Node n1 event: Removing Node n1 from Controller',
  );
});

test('nodes that renew their leases are not written', async () => {
  await using cluster = await start(3);
  const { nodes } = cluster.client.core.v1;
  const { resourceVersion } = (await nodes.get('n1')).metadata;

  await passTime(cluster, 300, ['n1', 'n2', 'n3']);

  expect((await nodes.get('n1')).metadata.resourceVersion).toBe(resourceVersion);
});
