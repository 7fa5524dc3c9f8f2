import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { FaultyTransport, noFaults, unreliableNetwork } from '../../client/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { persistentVolumeBinder } from './persistent-volume-binder.ts';

const claimSpec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };

async function createVolume(cluster: TestCluster, name: string, storage = '1Gi'): Promise<void> {
  await cluster.client.core.v1.persistentvolumes.create({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage }, hostPath: { path: '/srv/none' } },
  });
}

function claimsOf(cluster: TestCluster) {
  return cluster.client.core.v1.persistentvolumeclaims.namespace('default');
}

test('a volume that is created after its claim is bound at the next sync period', async () => {
  await using cluster = await startWith(persistentVolumeBinder());
  const claims = claimsOf(cluster);
  await claims.create({ metadata: { name: 'data' }, spec: claimSpec });
  await cluster.settle();
  await createVolume(cluster, 'v');
  await cluster.settle();
  expect((await claims.get('data')).status?.phase).toBe('Pending');

  await cluster.clock.advance('15s');
  await cluster.settle();
  expect((await claims.get('data')).status?.phase).toBe('Bound');
});

test('a default class that is created later is assigned', async () => {
  await using cluster = await startWith(persistentVolumeBinder());
  const claims = claimsOf(cluster);
  await claims.create({ metadata: { name: 'data' }, spec: claimSpec });
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  await cluster.client.storage.v1.storageclasses.create({
    metadata: { name: 'late', annotations },
    provisioner: 'csi.example.com',
  });
  await cluster.clock.advance('16s');
  await cluster.settle();
  expect((await claims.get('data')).spec?.storageClassName).toBe('late');
});

test('no provisioner is asked when dynamic provisioning is disabled', async () => {
  await using cluster = await startWith(persistentVolumeBinder({ enableDynamicProvisioning: false }));
  const claims = claimsOf(cluster);
  await cluster.client.storage.v1.storageclasses.create({ metadata: { name: 'fast' }, provisioner: 'csi.example.com' });
  await claims.create({ metadata: { name: 'data' }, spec: { ...claimSpec, storageClassName: 'fast' } });
  await cluster.settle();
  expect((await claims.get('data')).metadata.annotations).toBeUndefined();
});

test('nothing is done while everything is bound', async () => {
  await using cluster = await startWith(persistentVolumeBinder());
  await createVolume(cluster, 'v');
  const claims = claimsOf(cluster);
  await claims.create({ metadata: { name: 'data' }, spec: claimSpec });
  await cluster.clock.advance('1m');
  await cluster.settle();
  const { metadata, status } = await claims.get('data');
  expect(status?.phase).toBe('Bound');
  await cluster.clock.advance('1h');
  expect((await claims.get('data')).metadata.resourceVersion).toBe(metadata.resourceVersion);
});

test.each(['one', 'two'])('every claim gets its volume despite injected faults (%s)', async (seed) => {
  const random = new SeededRandom(`faults ${seed}`);
  const faulty: FaultyTransport[] = [];
  await using cluster = await startCluster({
    scheduler: false,
    nodes: 0,
    seed,
    wrapTransport: (transport, { clock }) => {
      const bad = new FaultyTransport(transport, { clock, random, rates: noFaults });
      faulty.push(bad);
      return bad;
    },
  });
  for (const transport of faulty) transport.change(unreliableNetwork);
  const claims = claimsOf(cluster);
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  for (const name of names) await createVolume(cluster, name, `${1 + (names.indexOf(name) % 5)}Gi`);
  for (const name of names) await claims.create({ metadata: { name }, spec: claimSpec });
  await cluster.clock.advance('10m');
  for (const transport of faulty) transport.change();
  await cluster.clock.advance('30m');
  await cluster.settle();

  expect(faulty.reduce((total, { faults }) => total + faults.size, 0)).toBeGreaterThan(0);
  const bound = (await claims.list()).items;
  expect(bound.every(({ status }) => status?.phase === 'Bound')).toBe(true);
  expect(new Set(bound.map(({ spec }) => spec?.volumeName)).size).toBe(names.length);
  const { items: volumes } = await cluster.client.core.v1.persistentvolumes.list();
  for (const { metadata, spec, status } of volumes) {
    const claim = bound.find(({ metadata: { name } }) => name === spec?.claimRef?.name);
    expect([claim?.spec?.volumeName, status?.phase]).toEqual([metadata.name, 'Bound']);
  }
});
