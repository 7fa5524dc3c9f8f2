import { expect, test } from 'vitest';
import type { ResourceSlice, Sendable } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { nodeSlices } from './node-slices.ts';

function sliceOf(nodeName: string, driver: string): Sendable<ResourceSlice> {
  return {
    metadata: { name: `${nodeName}-${driver}` },
    spec: { nodeName, driver, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
  };
}

test('the slices of one driver of a node are deleted, or all of the node, and no others', async () => {
  await using cluster = await TestCluster.start();
  const client = cluster.client();
  const slices = client.resource.v1.resourceslices;
  for (const node of ['n1', 'n2']) for (const driver of ['a.com', 'b.com']) await slices.create(sliceOf(node, driver));
  const names = async (): Promise<readonly string[]> =>
    (await slices.list()).items.map(({ metadata }) => metadata.name).toSorted();
  await nodeSlices(client, 'n1')('a.com');
  expect(await names()).toEqual(['n1-b.com', 'n2-a.com', 'n2-b.com']);
  await nodeSlices(client, 'n2', { except: new Set(['b.com']) })(undefined);
  expect(await names()).toEqual(['n1-b.com', 'n2-b.com']);
  await nodeSlices(client, 'n2')(undefined);
  expect(await names()).toEqual(['n1-b.com']);
});
