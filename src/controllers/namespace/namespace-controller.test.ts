import { expect, test } from 'vitest';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import { type Client, hasReason, mergePatch } from '../../client/index.ts';
import type { TestCluster } from '../../testing/index.ts';
import { run, startWith } from '../testing/controller-cluster.ts';
import { namespaceController } from './namespace-controller.ts';

async function start(options: Parameters<typeof namespaceController>[0] = {}): Promise<TestCluster> {
  const cluster = await startWith(namespaceController(options));
  await cluster.client.core.v1.namespaces.create({ metadata: { name: 'doomed' } });
  return cluster;
}

/** The conditions of the namespace that report a problem; undefined when it is gone. */
async function troubles(client: Client): Promise<string[] | undefined> {
  try {
    const { status } = await client.core.v1.namespaces.get('doomed');
    const bad = (status?.conditions ?? []).filter((condition) => condition.status === 'True');
    return bad.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function createPod(client: Client, finalizers: string[] = []): Promise<void> {
  await client.core.v1.pods.namespace('doomed').create({
    metadata: { name: 'pod', finalizers },
    spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1', terminationGracePeriodSeconds: 30 },
  });
}

test('a namespace is left alone for five seconds, then emptied and finalized', async () => {
  await using cluster = await start();
  const { core, apps } = cluster.client;
  await core.v1.configmaps.namespace('doomed').create({ metadata: { name: 'a' } });
  await core.v1.services.namespace('doomed').create({ metadata: { name: 'b' }, spec: { ports: [{ port: 80 }] } });
  await apps.v1.deployments.namespace('doomed').create({
    metadata: { name: 'c' },
    spec: {
      selector: { matchLabels: { app: 'c' } },
      template: { metadata: { labels: { app: 'c' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });

  await core.v1.namespaces.delete('doomed');
  await cluster.clock.advance('4s');
  expect((await core.v1.namespaces.get('doomed')).status?.phase).toBe('Terminating');
  expect((await core.v1.configmaps.namespace('doomed').list()).items).toHaveLength(1);

  await cluster.clock.advance('1s');
  expect(await troubles(cluster.client)).toBeUndefined();
  expect((await core.v1.configmaps.list()).items.filter(({ metadata }) => metadata.namespace === 'doomed')).toEqual([]);
  expect((await apps.v1.deployments.list()).items).toEqual([]);
});

test('a namespace that is already terminating at the start is processed', async () => {
  await using cluster = await startWith();
  const { namespaces } = cluster.client.core.v1;
  await namespaces.create({ metadata: { name: 'doomed' } });
  await namespaces.delete('doomed');

  await run(cluster, namespaceController({ settleMs: 0 }));
  await cluster.settle();

  expect(await troubles(cluster.client)).toBeUndefined();
});

test('pods are deleted first: while there are any, everything else stays', async () => {
  await using cluster = await start();
  const { core } = cluster.client;
  await core.v1.configmaps.namespace('doomed').create({ metadata: { name: 'a' } });
  await createPod(cluster.client);

  await core.v1.namespaces.delete('doomed');
  await cluster.clock.advance('6s');
  expect((await core.v1.pods.namespace('doomed').get('pod')).metadata.deletionTimestamp).toBeDefined();
  expect((await core.v1.configmaps.namespace('doomed').list()).items).toHaveLength(1);
  const { status } = await core.v1.namespaces.get('doomed');
  expect(status?.conditions?.map(({ type }) => type)).toContain('NamespaceDeletionContentFailure');

  await core.v1.pods.namespace('doomed').delete('pod', { gracePeriodSeconds: 0 });
  await cluster.settle();
  expect(await troubles(cluster.client)).toBeUndefined();
});

test('objects with finalizers are counted in the conditions, and checked again after half the estimate', async () => {
  await using cluster = await start();
  const { core } = cluster.client;
  const configMaps = core.v1.configmaps.namespace('doomed');
  for (const name of ['a', 'b']) await configMaps.create({ metadata: { name, finalizers: ['example.com/hold'] } });

  await core.v1.namespaces.delete('doomed');
  await cluster.clock.advance('5s');
  expect(await troubles(cluster.client)).toEqual([
    'NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances',
    'NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances',
  ]);

  for (const name of ['a', 'b']) await configMaps.patch(name, mergePatch({ metadata: { finalizers: null } }));
  await cluster.clock.advance('8s');
  expect(await troubles(cluster.client)).toBeUndefined();
});

test('a pod that stays beyond its grace period is a failure, and is retried', async () => {
  await using cluster = await start();
  const { core } = cluster.client;
  await createPod(cluster.client);

  await core.v1.namespaces.delete('doomed');
  await cluster.clock.advance('45s');
  expect(await troubles(cluster.client)).toEqual([
    'NamespaceDeletionContentFailure ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: doomed for gvr: /v1, Resource=pods',
  ]);

  await core.v1.pods.namespace('doomed').delete('pod', { gracePeriodSeconds: 0 });
  await cluster.settle();
  expect(await troubles(cluster.client)).toBeUndefined();
});

test('finalizers of other components keep the namespace', async () => {
  await using cluster = await start();
  const { namespaces } = cluster.client.core.v1;
  const finalizers = ['kubernetes', 'example.com/mine'];
  const namespace = await namespaces.get('doomed');
  await namespaces.subresource<Namespace>('finalize').update({ ...namespace, spec: { finalizers } });

  await namespaces.delete('doomed');
  await cluster.clock.advance('1m');

  expect((await namespaces.get('doomed')).spec?.finalizers).toEqual(['example.com/mine']);
  expect(await troubles(cluster.client)).toEqual([]);
});

test('nothing is done while no namespace is terminating', async () => {
  await using cluster = await start();
  await cluster.settle();
  const { resourceVersion } = await cluster.client.core.v1.namespaces.list();

  await cluster.clock.advance('1h');

  expect((await cluster.client.core.v1.namespaces.list()).resourceVersion).toBe(resourceVersion);
});
