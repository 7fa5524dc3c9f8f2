import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../../testing/index.ts';

const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
const volumes = (claim: string) => [{ name: 'data', persistentVolumeClaim: { claimName: claim } }];
const containers = [{ name: 'c', image: 'nginx' }];

async function finalizersOf(cluster: TestCluster, name: string): Promise<readonly string[] | undefined> {
  const claims = cluster.client.core.v1.persistentvolumeclaims.namespace('default');
  return (await claims.list()).items.find(({ metadata }) => metadata.name === name)?.metadata.finalizers;
}

test('a claim stays while a pod on a node uses it, and is deleted after the last one', async () => {
  await using cluster = await startCluster({ seed: 'claims' });
  const { pods, persistentvolumeclaims } = cluster.client.core.v1;
  const [ofDefault, claims] = [pods.namespace('default'), persistentvolumeclaims.namespace('default')];
  await claims.create({ metadata: { name: 'data' }, spec });
  await claims.create({ metadata: { name: 'unused' }, spec });
  await ofDefault.create({
    metadata: { name: 'web' },
    spec: { nodeName: 'keelson', containers, volumes: volumes('data') },
  });
  await ofDefault.create({
    metadata: { name: 'waiting' },
    spec: { containers, volumes: volumes('unused'), nodeSelector: { none: 'such' } },
  });
  await cluster.settle();
  expect(await finalizersOf(cluster, 'data')).toEqual(['kubernetes.io/pvc-protection']);

  await claims.delete('data');
  await claims.delete('unused');
  await cluster.settle();
  expect(await finalizersOf(cluster, 'data')).toEqual(['kubernetes.io/pvc-protection']);
  expect(await finalizersOf(cluster, 'unused')).toBeUndefined();

  await ofDefault.delete('web');
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect(await finalizersOf(cluster, 'data')).toBeUndefined();
});

test('a claim without the finalizer gets it', async () => {
  await using cluster = await startCluster({ seed: 'old', admission: { disable: ['StorageObjectInUseProtection'] } });
  await cluster.client.core.v1.persistentvolumeclaims.namespace('default').create({ metadata: { name: 'old' }, spec });
  await cluster.settle();
  expect(await finalizersOf(cluster, 'old')).toEqual(['kubernetes.io/pvc-protection']);
});

test('a volume stays while it is bound', async () => {
  await using cluster = await startCluster({ seed: 'volumes' });
  const all = cluster.client.core.v1.persistentvolumes;
  const claims = cluster.client.core.v1.persistentvolumeclaims.namespace('default');
  const source = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce' as const], hostPath: { path: '/x' } };
  const created = await all.create({ metadata: { name: 'v' }, spec: source });
  expect(created.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
  await claims.create({ metadata: { name: 'data' }, spec: { ...spec, storageClassName: '', volumeName: 'v' } });
  await cluster.settle();
  await all.delete('v');
  await cluster.settle();
  const going = await all.get('v');
  expect(going.status?.phase).toBe('Bound');
  expect(going.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);

  await claims.delete('data');
  await cluster.settle();
  expect((await all.list()).items).toEqual([]);
});

test('a VolumeAttributesClass stays while a claim names it', async () => {
  await using cluster = await startCluster({ seed: 'classes' });
  const classes = cluster.client.storage.v1.volumeattributesclasses;
  const claims = cluster.client.core.v1.persistentvolumeclaims.namespace('default');
  const created = await classes.create({
    metadata: { name: 'fast' },
    driverName: 'd.example.com',
    parameters: { a: 'b' },
  });
  expect(created.metadata.finalizers).toEqual(['kubernetes.io/vac-protection']);
  await claims.create({ metadata: { name: 'data' }, spec: { ...spec, volumeAttributesClassName: 'fast' } });
  await cluster.settle();
  await classes.delete('fast');
  await cluster.settle();
  expect((await classes.list()).items).toHaveLength(1);

  await claims.delete('data');
  await cluster.settle();
  expect((await classes.list()).items).toEqual([]);
});
