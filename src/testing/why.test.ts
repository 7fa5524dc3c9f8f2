import { expect, test } from 'vitest';
import { mergePatch } from '../client/index.ts';
import { startCluster } from './index.ts';

test('cluster.why() shows what each plugin and extender decided about a pod', async () => {
  const picky = {
    name: 'picky',
    isInterested: ({ pod }: { pod: { metadata: { name: string } } }) => pod.metadata.name === 'picked',
    filter: async () => ({ nodes: [], failed: new Map([['keelson-2', 'not on a Monday']]) }),
  };
  await using cluster = await startCluster({ nodes: 3, scheduler: { extenders: [picky] } });
  const { nodes, pods } = cluster.client.core.v1;
  await nodes.patch('keelson-1', mergePatch({ spec: { unschedulable: true } }));
  const create = async (name: string, cpu: string): Promise<void> => {
    const containers = [{ name: 'c', image: 'web', resources: { requests: { cpu } } }];
    await pods.namespace('default').create({ metadata: { name }, spec: { containers } });
    await cluster.settle();
  };
  await create('web', '1');
  await create('huge', '1000');
  await create('picked', '1');

  expect(cluster.why('web')).toMatchObject([
    {
      schedulerName: 'default-scheduler',
      node: expect.stringMatching(/^keelson-[23]$/),
      feasibleNodes: 2,
      evaluatedNodes: 3,
      scores: [{ byPlugin: { TaintToleration: 100 } }, {}],
      outcome: expect.stringMatching(/^Scheduled: Successfully assigned default\/web to keelson-[23]$/),
    },
  ]);
  expect(cluster.why('default/huge').at(-1)).toMatchObject({
    message: expect.stringMatching(/^0\/3 nodes are available: 1 node\(s\) were unschedulable, 2 Insufficient cpu\./),
    rejections: [
      { by: 'NodeResourcesFit', reason: 'Insufficient cpu', count: 2, nodes: expect.arrayContaining(['keelson-2']) },
      { by: 'NodeUnschedulable', isResolvable: false, count: 1, nodes: ['keelson-1'] },
    ],
  });
  expect(cluster.why('picked').at(-1)).toMatchObject({
    rejections: expect.arrayContaining([expect.objectContaining({ by: 'picky', reason: 'not on a Monday', count: 1 })]),
    extenders: [{ extender: 'picky', verb: 'filter', outcome: '0 of 2 nodes' }],
  });
  expect(cluster.why('unknown')).toEqual([]);
});
