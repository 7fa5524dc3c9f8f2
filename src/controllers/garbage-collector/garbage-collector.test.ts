import { expect, test } from 'vitest';
import type { ConfigMap } from '../../api/types/core/v1.d.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import { type KubernetesObject, mergePatch, type ResourceClient, type Stored } from '../../client/index.ts';
import type { TestCluster } from '../../testing/index.ts';
import { eventsIn, run, startWith } from '../testing/controller-cluster.ts';
import { garbageCollector } from './garbage-collector.ts';

function ownedBy(owner: Stored<KubernetesObject>, more: Partial<OwnerReference> = {}): OwnerReference {
  const { kind, apiVersion, metadata } = owner;
  return { kind, apiVersion, name: metadata.name, uid: metadata.uid, ...more };
}

async function create(
  configMaps: ResourceClient<ConfigMap>,
  name: string,
  { owners = [], finalizers = [] }: { readonly owners?: OwnerReference[]; readonly finalizers?: string[] } = {},
): Promise<Stored<ConfigMap>> {
  return await configMaps.create({ metadata: { name, ownerReferences: owners, finalizers } });
}

/** The names of the test's own objects, with `!` appended while they are being deleted. */
async function names(configMaps: ResourceClient<ConfigMap>): Promise<string[]> {
  const { items } = await configMaps.list();
  const ours = items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  return ours.map(({ metadata }) => `${metadata.name}${metadata.deletionTimestamp === undefined ? '' : '!'}`);
}

async function owners(configMaps: ResourceClient<ConfigMap>, name: string): Promise<string[]> {
  return ((await configMaps.get(name)).metadata.ownerReferences ?? []).map((owner) => owner.name);
}

async function start(): Promise<{ cluster: TestCluster; configMaps: ResourceClient<ConfigMap> }> {
  const cluster = await startWith(garbageCollector());
  return { cluster, configMaps: cluster.client.core.v1.configmaps.namespace('default') };
}

test('the dependents of a deleted object are deleted recursively', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const top = await create(configMaps, 'top');
  const middle = await create(configMaps, 'middle', { owners: [ownedBy(top)] });
  await create(configMaps, 'bottom', { owners: [ownedBy(middle)] });
  await create(configMaps, 'free');
  await cluster.settle();

  await configMaps.delete('top');
  await cluster.settle();

  expect(await names(configMaps)).toEqual(['free']);
});

test('an object whose owners were deleted before the collector started is deleted', async () => {
  await using cluster = await startWith();
  const configMaps = cluster.client.core.v1.configmaps.namespace('default');
  const gone = await create(configMaps, 'gone');
  const stays = await create(configMaps, 'stays');
  await configMaps.delete('gone');
  await create(configMaps, 'lost', { owners: [ownedBy(gone)] });
  await create(configMaps, 'kept', { owners: [ownedBy(stays)] });

  await run(cluster, garbageCollector());
  await cluster.settle();

  expect(await names(configMaps)).toEqual(['kept', 'stays']);
});

test('another object with the same name is not the owner', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const first = await create(configMaps, 'owner');
  await configMaps.delete('owner');
  await create(configMaps, 'owner');

  await create(configMaps, 'child', { owners: [ownedBy(first)] });
  await cluster.settle();

  expect(await names(configMaps)).toEqual(['owner']);
});

test('in a foreground deletion the owner is deleted last', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const owner = await create(configMaps, 'owner');
  const blocking = ownedBy(owner, { blockOwnerDeletion: true });
  await create(configMaps, 'child', { owners: [blocking], finalizers: ['example.com/hold'] });
  await create(configMaps, 'other', { owners: [blocking] });
  await create(configMaps, 'free', { owners: [ownedBy(owner)], finalizers: ['example.com/hold'] });

  await configMaps.delete('owner', { propagationPolicy: 'Foreground' });
  await cluster.settle();
  expect(await names(configMaps)).toEqual(['child!', 'free!', 'owner!']);

  await configMaps.patch('child', mergePatch({ metadata: { finalizers: null } }));
  await cluster.settle();
  expect(await names(configMaps)).toEqual(['free!']);
});

test('a foreground deletion proceeds level by level', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const top = await create(configMaps, 'top');
  const middle = await create(configMaps, 'middle', { owners: [ownedBy(top, { blockOwnerDeletion: true })] });
  await create(configMaps, 'bottom', {
    owners: [ownedBy(middle, { blockOwnerDeletion: true })],
    finalizers: ['example.com/hold'],
  });
  await cluster.settle();

  await configMaps.delete('top', { propagationPolicy: 'Foreground' });
  await cluster.settle();
  expect(await names(configMaps)).toEqual(['bottom!', 'middle!', 'top!']);
  expect((await configMaps.get('middle')).metadata.finalizers).toEqual(['foregroundDeletion']);

  await configMaps.patch('bottom', mergePatch({ metadata: { finalizers: null } }));
  await cluster.settle();
  expect(await names(configMaps)).toEqual([]);
});

test('orphans lose their owner and stay', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const owner = await create(configMaps, 'owner');
  const other = await create(configMaps, 'other');
  for (let index = 0; index < 30; index++) {
    await create(configMaps, `child-${index}`, { owners: [ownedBy(owner), ownedBy(other)] });
  }
  await cluster.settle();

  await configMaps.delete('owner', { propagationPolicy: 'Orphan' });
  await cluster.settle();

  expect(await names(configMaps)).toHaveLength(31);
  expect(await owners(configMaps, 'child-0')).toEqual(['other']);
  expect(await owners(configMaps, 'child-29')).toEqual(['other']);
});

test('an object stays as long as one of its owners does, and loses the others', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const dying = await create(configMaps, 'dying');
  const gone = await create(configMaps, 'gone');
  const staying = await create(configMaps, 'staying');
  const references = [ownedBy(dying, { blockOwnerDeletion: true }), ownedBy(gone), ownedBy(staying)];
  await create(configMaps, 'child', { owners: references });
  await cluster.settle();

  await configMaps.delete('gone');
  await configMaps.delete('dying', { propagationPolicy: 'Foreground' });
  await cluster.settle();

  expect(await names(configMaps)).toEqual(['child', 'staying']);
  expect(await owners(configMaps, 'child')).toEqual(['staying']);
});

test('a cycle of owners does not block a deletion', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const made = [await create(configMaps, 'a'), await create(configMaps, 'b'), await create(configMaps, 'c')];
  for (const [index, { metadata }] of made.entries()) {
    const owner = made[(index + 2) % 3];
    if (owner === undefined) continue;
    const ownerReferences = [ownedBy(owner, { blockOwnerDeletion: true, controller: true })];
    await configMaps.patch(metadata.name, mergePatch({ metadata: { ownerReferences } }));
  }
  await cluster.settle();

  await configMaps.delete('a', { propagationPolicy: 'Foreground' });
  await cluster.settle();
  await cluster.clock.advance('1s');

  expect(await names(configMaps)).toEqual([]);
});

test('an owner in another namespace is ignored, and an event reports it', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const { namespaces } = cluster.client.core.v1;
  await namespaces.create({ metadata: { name: 'other' } });
  const owner = await create(cluster.client.core.v1.configmaps.namespace('other'), 'owner');
  await cluster.settle();

  await create(configMaps, 'child', { owners: [ownedBy(owner)] });
  await cluster.settle();

  expect(await names(configMaps)).toEqual([]);
  expect(await eventsIn(cluster.client)).toEqual([
    `garbage-collector-controller about ConfigMap child: Warning OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "default"`,
  ]);
});

test('a cluster-scoped object with a namespaced owner is left alone', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const owner = await create(configMaps, 'owner');
  const { clusterroles } = cluster.client.rbac.v1;
  await clusterroles.create({ metadata: { name: 'child', ownerReferences: [ownedBy(owner)] }, rules: [] });
  await cluster.settle();

  await configMaps.delete('owner');
  await cluster.settle();
  await cluster.clock.advance('10m');

  expect((await clusterroles.get('child')).metadata.deletionTimestamp).toBeUndefined();
});

test('a cluster-scoped object may own namespaced ones', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const { clusterroles } = cluster.client.rbac.v1;
  const owner = await clusterroles.create({ metadata: { name: 'owner' }, rules: [] });
  await create(configMaps, 'child', { owners: [ownedBy(owner)] });
  await cluster.settle();
  expect(await names(configMaps)).toEqual(['child']);

  await clusterroles.delete('owner');
  await cluster.settle();

  expect(await names(configMaps)).toEqual([]);
});

test('an object whose owner has an unserved kind stays', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const reference = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'some-uid' };
  await create(configMaps, 'child', { owners: [reference] });

  await cluster.settle();
  await cluster.clock.advance('1h');

  expect(await names(configMaps)).toEqual(['child']);
});

test('a reference through another version of the same kind is valid', async () => {
  const { cluster, configMaps } = await start();
  await using _ = cluster;
  const scaler = await cluster.client.autoscaling.v2.horizontalpodautoscalers.namespace('default').create({
    metadata: { name: 'owner' },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  });
  await cluster.settle();
  await create(configMaps, 'child', { owners: [ownedBy(scaler, { apiVersion: 'autoscaling/v1' })] });
  await cluster.settle();
  expect(await names(configMaps)).toEqual(['child']);

  await cluster.client.autoscaling.v2.horizontalpodautoscalers.namespace('default').delete('owner');
  await cluster.settle();
  expect(await names(configMaps)).toEqual([]);
});
