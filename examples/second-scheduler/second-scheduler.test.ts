import { mergePatch } from 'keelson';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { BUDGET, PRICE, thriftyScheduler } from './second-scheduler.ts';

test('pods that ask for it get the cheapest node, and none above their budget', async () => {
  await using cluster = await startCluster({ nodes: 3 });
  const { nodes, pods } = cluster.client.core.v1;
  for (const [index, price] of ['4', '1', '9'].entries())
    await nodes.patch(`keelson-${index + 1}`, mergePatch({ metadata: { labels: { [PRICE]: price } } }));
  await cluster.run(thriftyScheduler());
  const create = async (name: string, schedulerName: string, annotations = {}): Promise<string | undefined> => {
    const spec = { schedulerName, containers: [{ name: 'c', image: 'web' }] };
    await pods.namespace('default').create({ metadata: { name, annotations }, spec });
    await cluster.settle();
    const { spec: bound, status } = await pods.namespace('default').get(name);
    return bound?.nodeName ?? status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  };

  for (const name of ['a', 'b', 'c']) expect(await create(name, 'thrifty')).toBe('keelson-2');
  expect(await create('poor', 'thrifty', { [BUDGET]: '0.5' })).toMatch(
    /^0\/3 nodes are available: 3 node\(s\) were too expensive\./,
  );
  expect(await create('usual', 'default-scheduler')).toMatch(/^keelson-\d$/);
});
