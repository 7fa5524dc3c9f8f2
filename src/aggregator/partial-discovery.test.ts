import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../testing/index.ts';
import { API_SERVICES_PATH } from './registered-service.ts';

/** Registers a group without a server; its discovery is stale from then on. */
async function withDeadServer(): Promise<TestCluster> {
  const cluster = await startCluster({ nodes: 0, scheduler: false });
  const spec = {
    group: 'wardle.example.com',
    version: 'v1alpha1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'absent' },
  };
  const body = { metadata: { name: 'v1alpha1.wardle.example.com' }, spec };
  await cluster.client.request({ method: 'POST', path: API_SERVICES_PATH, body });
  await cluster.clock.advance('10s');
  await cluster.settle();
  return cluster;
}

test('a server whose discovery fails does not stop garbage collection', async () => {
  await using cluster = await withDeadServer();
  const { client } = cluster;
  const owner = await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'owner' } });
  const { name, uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
  await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'owned', ownerReferences } });
  await client.core.v1.configmaps.namespace('default').delete('owner');
  await cluster.settle();

  const { items } = await client.core.v1.configmaps.namespace('default').list();
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('owned');
});

test('a namespace waits until all groups can be listed, and reports that', async () => {
  await using cluster = await withDeadServer();
  const { client } = cluster;
  await client.core.v1.namespaces.create({ metadata: { name: 'gone' } });
  await client.core.v1.configmaps.namespace('gone').create({ metadata: { name: 'a' } });
  await client.core.v1.namespaces.delete('gone');
  await cluster.settle();
  const { status } = await client.core.v1.namespaces.get('gone');
  const { items } = await client.core.v1.configmaps.namespace('gone').list();
  await client.request({ method: 'DELETE', path: `${API_SERVICES_PATH}/v1alpha1.wardle.example.com` });
  await cluster.clock.advance('60s');
  await cluster.settle();

  expect(status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'True',
      reason: 'DiscoveryFailed',
      message: expect.stringContaining('wardle.example.com/v1alpha1: stale GroupVersion discovery'),
    }),
  );
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('a');
  await expect(client.core.v1.namespaces.get('gone')).rejects.toMatchObject({ reason: 'NotFound' });
});
