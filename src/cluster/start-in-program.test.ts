import { expect, test } from 'vitest';
import { launchCluster, startControlPlane } from './start-in-program.ts';

const ADMIN = { user: 'admin', groups: ['system:masters'] };

test('an API server starts without options', async () => {
  await using plane = await startControlPlane();
  await using client = plane.client(ADMIN);
  expect((await client.core.v1.namespaces.get('default')).status?.phase).toBe('Active');
  expect(plane.isListening).toBe(false);
});

test('a whole cluster listens and has ready nodes', async ({ signal }) => {
  await using cluster = await launchCluster({ nodes: 2, serving: { listen: { host: '127.0.0.1', port: 0 } } });
  await cluster.nodesReady(signal);
  await cluster.areReady(['keelson-2'], signal);
  expect(cluster.plane.access).toMatchObject({ name: 'keelson', server: cluster.plane.url });
  await using client = cluster.plane.client(ADMIN);
  expect((await client.core.v1.nodes.list()).items.map(({ metadata }) => metadata.name)).toEqual([
    'keelson-1',
    'keelson-2',
  ]);
});
