import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../../testing/index.ts';

const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
const containers = [{ name: 'c', image: 'nginx' }];

async function eventsAbout(cluster: TestCluster, kind: string): Promise<string[]> {
  const { items } = await cluster.client.core.v1.events.list();
  return items
    .filter(({ involvedObject }) => involvedObject.kind === kind)
    .map(({ source, type, reason, message }) => `${source?.component}: ${type} ${reason}: ${message}`)
    .toSorted();
}

test('a claim of the default class gets a volume, which is deleted with it', async () => {
  await using cluster = await startCluster({ seed: 'provisioner' });
  const { persistentvolumeclaims, persistentvolumes } = cluster.client.core.v1;
  const claims = persistentvolumeclaims.namespace('default');
  const { metadata } = await claims.create({ metadata: { name: 'data' }, spec });
  await cluster.settle();
  const claim = await claims.get('data');
  const name = `pvc-${metadata.uid}`;
  expect(claim.spec).toMatchObject({ storageClassName: 'standard', volumeName: name });
  expect(claim.status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } });
  const volume = await persistentvolumes.get(name);
  expect(volume.metadata.finalizers?.toSorted()).toEqual([
    'external-provisioner.volume.kubernetes.io/finalizer',
    'kubernetes.io/pv-protection',
  ]);
  expect(volume.spec).toMatchObject({
    persistentVolumeReclaimPolicy: 'Delete',
    csi: { driver: 'sim.keelson.dev', volumeHandle: name },
  });
  expect(volume.status?.phase).toBe('Bound');
  expect(await eventsAbout(cluster, 'PersistentVolumeClaim')).toEqual([
    expect.stringContaining('Normal ExternalProvisioning: Waiting for a volume to be created either by the external'),
    'sim.keelson.dev: Normal Provisioning: External provisioner is provisioning volume for claim "default/data"',
    `sim.keelson.dev: Normal ProvisioningSucceeded: Successfully provisioned volume ${name}`,
  ]);

  await claims.delete('data');
  await cluster.settle();
  expect((await persistentvolumes.list()).items).toEqual([]);
});

test('volumes of a class with policy Retain stay', async () => {
  await using cluster = await startCluster({ seed: 'retained' });
  const { persistentvolumeclaims, persistentvolumes } = cluster.client.core.v1;
  const claims = persistentvolumeclaims.namespace('default');
  await cluster.client.storage.v1.storageclasses.create({
    metadata: { name: 'kept' },
    provisioner: 'sim.keelson.dev',
    reclaimPolicy: 'Retain',
  });
  await claims.create({ metadata: { name: 'data' }, spec: { ...spec, storageClassName: 'kept' } });
  await cluster.settle();
  await claims.delete('data');
  await cluster.settle();
  expect((await persistentvolumes.list()).items.map(({ status }) => status?.phase)).toEqual(['Released']);
});

test('driver errors are reported in events', async () => {
  await using cluster = await startCluster({ seed: 'refused' });
  await cluster.client.storage.v1.storageclasses.create({
    metadata: { name: 'broken' },
    provisioner: 'sim.keelson.dev',
    parameters: { failure: 'out of disks' },
  });
  const claims = cluster.client.core.v1.persistentvolumeclaims.namespace('default');
  await claims.create({ metadata: { name: 'data' }, spec: { ...spec, storageClassName: 'broken' } });
  await cluster.settle();
  expect((await claims.get('data')).status?.phase).toBe('Pending');
  expect(await eventsAbout(cluster, 'PersistentVolumeClaim')).toContain(
    'sim.keelson.dev: Warning ProvisioningFailed: failed to provision volume with StorageClass "broken": ' +
      'rpc error: code = Internal desc = out of disks',
  );
});

test('a cluster without storage has no default class', async () => {
  await using cluster = await startCluster({ seed: 'none', simulatedStorage: false });
  const claims = cluster.client.core.v1.persistentvolumeclaims.namespace('default');
  await claims.create({ metadata: { name: 'data' }, spec });
  await cluster.settle();
  expect((await cluster.client.storage.v1.storageclasses.list()).items).toEqual([]);
  expect((await claims.get('data')).status?.phase).toBe('Pending');
});

test('a StatefulSet with claim templates starts, and its claims outlive it', async () => {
  await using cluster = await startCluster({ seed: 'stateful' });
  const sets = cluster.client.apps.v1.statefulsets.namespace('default');
  const labels = { app: 'db' };
  await sets.create({
    metadata: { name: 'db' },
    spec: {
      serviceName: 'db',
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'c', image: 'nginx', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
      },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }],
    },
  });
  await cluster.settle();
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect((await sets.get('db')).status?.readyReplicas).toBe(3);
  expect((await eventsAbout(cluster, 'Pod')).filter((line) => line.includes('FailedMount'))).toEqual([]);

  await sets.delete('db');
  await cluster.clock.advance('2m');
  await cluster.settle();
  const claims = await cluster.client.core.v1.persistentvolumeclaims.namespace('default').list();
  expect(claims.items.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([
    ['data-db-0', 'Bound'],
    ['data-db-1', 'Bound'],
    ['data-db-2', 'Bound'],
  ]);
});

test('a pod with a preset node waits for its claim, and reports that', async () => {
  await using cluster = await startCluster({ seed: 'waiting', simulatedStorage: false });
  const { pods, persistentvolumeclaims, persistentvolumes } = cluster.client.core.v1;
  await persistentvolumeclaims.namespace('default').create({ metadata: { name: 'data' }, spec });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const mounting = containers.map((container) => ({
    ...container,
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  }));
  const [node] = (await cluster.client.core.v1.nodes.list()).items;
  const nodeName = node?.metadata.name ?? '';
  await pods
    .namespace('default')
    .create({ metadata: { name: 'web' }, spec: { nodeName, containers: mounting, volumes } });
  await cluster.settle();
  await cluster.clock.advance('30s');
  await cluster.settle();
  expect((await pods.namespace('default').get('web')).status?.phase).toBe('Pending');
  expect(await eventsAbout(cluster, 'Pod')).toContain(
    'kubelet: Warning FailedMount: Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], ' +
      'failed to process volumes=[data]: error processing PVC default/data: PVC is not bound',
  );

  await persistentvolumes.create({
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/srv/none' } },
  });
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect((await pods.namespace('default').get('web')).status?.phase).toBe('Running');
});
