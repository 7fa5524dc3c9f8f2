import { expect, test } from 'vitest';
import type { Pod, Toleration } from '../../api/types/core/v1.d.ts';
import { mergePatch, type ResourceClient } from '../../client/index.ts';
import type { TestCluster } from '../../testing/index.ts';
import { eventsIn, startWith } from '../testing/controller-cluster.ts';
import { taintEvictionController } from './taint-eviction.ts';

const taint = { key: 'example.com/out', effect: 'NoExecute' };

async function start(): Promise<{ cluster: TestCluster; pods: ResourceClient<Pod> }> {
  const cluster = await startWith(taintEvictionController());
  await cluster.client.core.v1.nodes.create({ metadata: { name: 'n1' } });
  return { cluster, pods: cluster.client.core.v1.pods.namespace('default') };
}

/** A pod on the node. A finalizer keeps it visible after its deletion. */
async function create(pods: ResourceClient<Pod>, name: string, tolerations: Toleration[] = []): Promise<void> {
  await pods.create({
    metadata: { name, finalizers: ['example.com/hold'] },
    spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1', tolerations, terminationGracePeriodSeconds: 0 },
  });
}

async function setTaints(cluster: TestCluster, taints: readonly object[] | null): Promise<void> {
  await cluster.client.core.v1.nodes.patch('n1', mergePatch({ spec: { taints } }));
  await cluster.settle();
}

async function deleted(pods: ResourceClient<Pod>): Promise<string[]> {
  const { items } = await pods.list();
  return items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(({ metadata }) => metadata.name);
}

test('a pod that does not tolerate a taint is deleted at once, and its status has the reason', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await create(pods, 'p');
  const conditions = [{ type: 'Ready', status: 'True' }];
  await pods.status.patch('p', mergePatch({ status: { conditions } }));
  await cluster.settle();

  await setTaints(cluster, [taint]);

  const { metadata, status } = await pods.get('p');
  expect(metadata.deletionTimestamp).toBeDefined();
  expect(status?.conditions).toMatchObject([
    ...conditions,
    {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    },
  ]);
  expect(await eventsIn(cluster.client)).toEqual([
    'taint-eviction-controller about Pod p: Normal TaintManagerEviction: Marking for deletion Pod default/p',
  ]);
});

test('a pod stays for as long as it tolerates the taint', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await create(pods, 'short', [{ key: taint.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }]);
  await create(pods, 'long', [{ key: taint.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }]);
  await create(pods, 'ever', [{ operator: 'Exists' }]);

  await setTaints(cluster, [taint]);
  await cluster.clock.advance('9s');
  expect(await deleted(pods)).toEqual([]);
  await cluster.clock.advance('1s');
  expect(await deleted(pods)).toEqual(['short']);
  await cluster.clock.advance('1h');
  expect(await deleted(pods)).toEqual(['long', 'short']);
});

test('removing a taint in time cancels the evictions', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await create(pods, 'p', [{ key: taint.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }]);
  await setTaints(cluster, [taint]);
  await cluster.clock.advance('30s');

  await setTaints(cluster, null);
  await cluster.clock.advance('10m');

  expect(await deleted(pods)).toEqual([]);
  expect(await eventsIn(cluster.client)).toEqual([
    'taint-eviction-controller about Pod p: Normal TaintManagerEviction: Cancelling deletion of Pod default/p',
  ]);
});

test("another tolerated taint does not extend a pod's time", async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await create(pods, 'p', [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }]);
  await setTaints(cluster, [taint]);
  await cluster.clock.advance('30s');

  await setTaints(cluster, [taint, { key: 'another', effect: 'NoExecute' }]);
  await cluster.clock.advance('30s');

  expect(await deleted(pods)).toEqual(['p']);
});

test('a pod that is bound to a tainted node is deleted', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await setTaints(cluster, [taint]);

  await create(pods, 'p');
  await cluster.settle();

  expect(await deleted(pods)).toEqual(['p']);
});

test('NoSchedule and PreferNoSchedule taints evict no pods', async () => {
  const { cluster, pods } = await start();
  await using _ = cluster;
  await create(pods, 'p');

  await setTaints(cluster, [{ key: taint.key, effect: 'NoSchedule' }]);
  await cluster.clock.advance('1h');

  expect(await deleted(pods)).toEqual([]);
});
