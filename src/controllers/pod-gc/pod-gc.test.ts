import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/types/core/v1.d.ts';
import { mergePatch, type ResourceClient } from '../../client/index.ts';
import type { TestCluster } from '../../testing/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { podGc } from './pod-gc.ts';

async function start(options: Parameters<typeof podGc>[0] = {}): Promise<{
  cluster: TestCluster;
  pods: ResourceClient<Pod>;
}> {
  const cluster = await startWith(podGc(options));
  return { cluster, pods: cluster.client.core.v1.pods.namespace('default') };
}

async function create(
  pods: ResourceClient<Pod>,
  name: string,
  { nodeName, status, finalizers }: { nodeName?: string; status?: PodStatus; finalizers?: string[] } = {},
): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'i' }], nodeName };
  const pod = await pods.create({ metadata: { name, finalizers }, spec });
  if (status !== undefined) await pods.status.update({ ...pod, status });
}

async function names(pods: ResourceClient<Pod>): Promise<string[]> {
  return (await pods.list()).items.map(({ metadata }) => metadata.name);
}

test('terminated pods beyond the threshold are deleted, the oldest first', async () => {
  const { cluster, pods } = await start({ terminatedPodThreshold: 2 });
  await using _ = cluster;
  for (const name of ['z', 'y', 'x', 'w']) {
    await create(pods, name, { status: { phase: 'Succeeded' } });
    await cluster.clock.advance('1s');
  }
  await create(pods, 'running', { status: { phase: 'Running' } });
  expect(await names(pods)).toHaveLength(5);

  await cluster.clock.advance('20s');

  expect(await names(pods)).toEqual(['running', 'w', 'x']);
});

test('pods on a deleted node are set to Failed and deleted after a while', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  const { nodes } = cluster.client.core.v1;
  await nodes.create({ metadata: { name: 'n1' } });
  await create(pods, 'lost', { nodeName: 'n1', status: { phase: 'Running' }, finalizers: ['example.com/hold'] });
  await create(pods, 'other', { nodeName: 'n1', status: { phase: 'Running' } });
  await cluster.clock.advance('5s');

  await nodes.delete('n1');
  await cluster.clock.advance('54s');
  expect(await names(pods)).toEqual(['lost', 'other']);

  await cluster.clock.advance('1s');
  expect(await names(pods)).toEqual(['lost']);
  const { status, metadata } = await pods.get('lost');
  expect(metadata.deletionGracePeriodSeconds).toBe(0);
  expect(status).toMatchObject({
    phase: 'Failed',
    conditions: [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
        lastTransitionTime: '2026-01-01T00:01:00Z',
      },
    ],
  });
});

test('a node that appears in time keeps its pods', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await create(pods, 'early', { nodeName: 'n1', status: { phase: 'Running' } });

  await cluster.clock.advance('50s');
  await cluster.client.core.v1.nodes.create({ metadata: { name: 'n1' } });
  await cluster.clock.advance('1h');

  expect(await names(pods)).toEqual(['early']);
});

test('a pod that is deleted before it has a node is removed, and finalizers do not affect its phase', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await create(pods, 'p', { finalizers: ['example.com/hold'] });
  await pods.delete('p');
  await cluster.clock.advance('20s');

  expect((await pods.get('p')).status?.phase).toBe('Failed');
});

test('terminating pods are removed from nodes that are out of service, and from no others', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  const { nodes } = cluster.client.core.v1;
  for (const name of ['dead', 'well']) {
    const node = await nodes.create({ metadata: { name } });
    const conditions = [{ type: 'Ready', status: name === 'dead' ? 'False' : 'True' }];
    await nodes.status.update({ ...node, status: { conditions } });
  }
  await create(pods, 'stuck', { nodeName: 'dead', status: { phase: 'Running' } });
  await create(pods, 'stays', { nodeName: 'well', status: { phase: 'Running' } });
  await pods.delete('stuck', { gracePeriodSeconds: 30 });
  await pods.delete('stays', { gracePeriodSeconds: 30 });
  await cluster.clock.advance('1m');
  expect(await names(pods)).toEqual(['stays', 'stuck']);

  const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
  for (const name of ['dead', 'well']) await nodes.patch(name, mergePatch({ spec: { taints } }));
  await cluster.clock.advance('20s');

  expect(await names(pods)).toEqual(['stays']);
});

test('no timer is set while there is nothing to collect', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await cluster.client.core.v1.nodes.create({ metadata: { name: 'n1' } });
  await cluster.settle();
  const before = cluster.clock.pending;

  await create(pods, 'p', { nodeName: 'n1', status: { phase: 'Running' } });
  await cluster.settle();

  expect(cluster.clock.pending).toBe(before);
});
