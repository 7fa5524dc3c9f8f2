import { mergePatch } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { labeller } from './pod-labeller.ts';

const ZONE = 'topology.kubernetes.io/zone';

test('a pod gets the zone of its node, also when that changes', async () => {
  await using cluster = await startCluster({ nodes: 1 });
  await cluster.run(labeller());
  const { nodes, pods } = cluster.client.core.v1;
  const [node] = (await nodes.list()).items;
  const name = node?.metadata.name ?? '';
  await pods.namespace('default').create({
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'nginx' }] },
  });
  await cluster.settle();
  expect((await pods.namespace('default').get('web')).metadata.labels?.[ZONE]).toBeUndefined();

  for (const zone of ['north', 'south']) {
    await nodes.patch(name, mergePatch({ metadata: { labels: { [ZONE]: zone } } }));
    await cluster.settle();

    expect((await pods.namespace('default').get('web')).metadata.labels?.[ZONE]).toBe(zone);
  }
  expect(cluster.problems).toEqual([]);
});
