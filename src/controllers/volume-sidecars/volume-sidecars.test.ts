import { expect, test } from 'vitest';
import type { StorageClass, VolumeAttributesClass } from '../../client/index.ts';
import { mergePatch } from '../../client/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';

const DRIVER = 'sim.keelson.dev';
const containers = [{ name: 'c', image: 'nginx', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
const ZONE = 'topology.kubernetes.io/zone';

async function eventsOf(cluster: TestCluster, name: string): Promise<string[]> {
  const { items } = await cluster.client.core.v1.events.list();
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

async function claim(cluster: TestCluster, storageClassName = 'standard', attributes?: string): Promise<void> {
  await cluster.client.core.v1.persistentvolumeclaims.namespace('default').create({
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName,
      ...(attributes === undefined ? {} : { volumeAttributesClassName: attributes }),
    },
  });
  await cluster.settle();
}

async function web(cluster: TestCluster): Promise<string | undefined> {
  const pods = cluster.client.core.v1.pods.namespace('default');
  await pods.create({ metadata: { name: 'web' }, spec: { containers, volumes } });
  await cluster.settle();
  await cluster.clock.advance('15s');
  await cluster.settle();
  return (await pods.get('web')).status?.phase;
}

async function classOf(cluster: TestCluster, name: string, rest: Partial<StorageClass>): Promise<void> {
  await cluster.client.storage.v1.storageclasses.create({ metadata: { name }, provisioner: DRIVER, ...rest });
}

test('a claim with delayed binding gets a volume where its pod is scheduled', async () => {
  await using cluster = await startCluster({ seed: 'zones', nodes: 2 });
  const { nodes, persistentvolumes, pods } = cluster.client.core.v1;
  await nodes.patch('keelson-1', mergePatch({ metadata: { labels: { [ZONE]: 'a' } } }));
  await nodes.patch('keelson-2', mergePatch({ metadata: { labels: { [ZONE]: 'b' } }, spec: { unschedulable: true } }));
  await classOf(cluster, 'zonal', { volumeBindingMode: 'WaitForFirstConsumer', parameters: { topology: ZONE } });
  await claim(cluster, 'zonal');
  expect((await persistentvolumes.list()).items).toEqual([]);

  expect(await web(cluster)).toBe('Running');
  expect((await pods.namespace('default').get('web')).spec?.nodeName).toBe('keelson-1');
  const [volume] = (await persistentvolumes.list()).items;
  expect(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
    { matchExpressions: [{ key: ZONE, operator: 'In', values: ['a'] }] },
  ]);
});

test('a pod is rescheduled when its volume has no room on the selected node', async () => {
  await using cluster = await startCluster({ seed: 'full', nodes: 2 });
  const { nodes, pods } = cluster.client.core.v1;
  await nodes.patch('keelson-2', mergePatch({ spec: { unschedulable: true } }));
  await classOf(cluster, 'zonal', { volumeBindingMode: 'WaitForFirstConsumer', parameters: { topology: ZONE } });
  await claim(cluster, 'zonal');
  await pods.namespace('default').create({ metadata: { name: 'web' }, spec: { containers, volumes } });
  await cluster.settle();
  expect(await eventsOf(cluster, 'data')).toContain(
    'Warning ProvisioningFailed: failed to provision volume with StorageClass "zonal": ' +
      `rpc error: code = ResourceExhausted desc = no node is labelled with ${ZONE}`,
  );
  await nodes.patch('keelson-1', mergePatch({ spec: { unschedulable: true } }));
  await nodes.patch('keelson-2', mergePatch({ metadata: { labels: { [ZONE]: 'b' } }, spec: { unschedulable: null } }));
  await cluster.clock.advance('1m');
  await cluster.settle();
  const { spec, status } = await pods.namespace('default').get('web');
  expect([spec?.nodeName, status?.phase]).toEqual(['keelson-2', 'Running']);
});

test('a volume is attached to the node of its pod, and detached after the pod is gone', async () => {
  await using cluster = await startCluster({ seed: 'attached' });
  const { core, storage } = cluster.client;
  await claim(cluster);
  expect(await web(cluster)).toBe('Running');
  const [volume] = (await core.v1.persistentvolumes.list()).items;
  const name = volume?.metadata.name ?? '';
  const unique = `kubernetes.io/csi/${DRIVER}^${name}`;
  const { status } = await core.v1.nodes.get('keelson');
  expect([status?.volumesInUse, status?.volumesAttached]).toEqual([[unique], [{ name: unique, devicePath: '' }]]);
  expect((await storage.v1.volumeattachments.list()).items.map(({ spec, status }) => [spec, status])).toEqual([
    [{ attacher: DRIVER, nodeName: 'keelson', source: { persistentVolumeName: name } }, { attached: true }],
  ]);
  expect(await eventsOf(cluster, 'web')).toContain(
    `Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "${name}" `,
  );

  await core.v1.pods.namespace('default').delete('web');
  await cluster.clock.advance('40s');
  await cluster.settle();
  const left = (await core.v1.nodes.get('keelson')).status;
  expect([left?.volumesInUse, left?.volumesAttached]).toEqual([undefined, undefined]);
  expect((await storage.v1.volumeattachments.list()).items).toEqual([]);
  await core.v1.persistentvolumeclaims.namespace('default').delete('data');
  await cluster.settle();
  expect((await core.v1.persistentvolumes.list()).items).toEqual([]);
});

test('a pod waits for a volume that cannot be attached, and reports that', async () => {
  await using cluster = await startCluster({ seed: 'unattached' });
  await classOf(cluster, 'loose', { parameters: { attachFailure: 'no cable' } });
  await claim(cluster, 'loose');
  expect(await web(cluster)).toBe('Pending');
  await cluster.clock.advance('3m');
  await cluster.settle();
  expect(await eventsOf(cluster, 'web')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^Warning FailedAttachVolume: AttachVolume.Attach failed for volume "pvc-.*" : rpc error: code = Internal desc = no cable$/,
      ),
      'Warning FailedMount: Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data], ' +
        'failed to process volumes=[]: context deadline exceeded',
    ]),
  );
});

test('a claim that requests more gets it once its node has finished the expansion', async () => {
  await using cluster = await startCluster({ seed: 'growing' });
  const claims = cluster.client.core.v1.persistentvolumeclaims.namespace('default');
  await claim(cluster);
  await claims.patch('data', mergePatch({ spec: { resources: { requests: { storage: '2Gi' } } } }));
  await cluster.settle();
  const pending = await claims.get('data');
  expect(pending.status).toMatchObject({
    capacity: { storage: '1Gi' },
    allocatedResources: { storage: '2Gi' },
    allocatedResourceStatuses: { storage: 'NodeResizePending' },
    conditions: [
      { type: 'Resizing', status: 'True' },
      { type: 'FileSystemResizePending', status: 'True' },
    ],
  });

  expect(await web(cluster)).toBe('Running');
  await cluster.clock.advance('30s');
  await cluster.settle();
  const { status } = await claims.get('data');
  expect(status?.capacity).toEqual({ storage: '2Gi' });
  expect([status?.conditions, status?.allocatedResourceStatuses]).toEqual([undefined, undefined]);
  const [volume] = (await cluster.client.core.v1.persistentvolumes.list()).items;
  expect(volume?.spec?.capacity).toEqual({ storage: '2Gi' });
  expect(volume?.metadata.annotations).not.toHaveProperty('volume.alpha.kubernetes.io/pre-resize-capacity');
  const events = await eventsOf(cluster, 'data');
  expect(events.filter((line) => /Resiz|Expand/.test(line))).toEqual([
    'Normal ExternalExpanding: waiting for an external controller to expand this PVC',
    `Normal Resizing: External resizer is resizing volume ${volume?.metadata.name}`,
    'Normal FileSystemResizeRequired: Require file system resize of volume on node',
    `Normal FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "${volume?.metadata.name}" keelson`,
  ]);
});

test('a volume gets new attributes when its claim requests them', async () => {
  await using cluster = await startCluster({ seed: 'attributes' });
  const { core, storage } = cluster.client;
  const attributes = async (name: string, parameters: VolumeAttributesClass['parameters']): Promise<void> => {
    await storage.v1.volumeattributesclasses.create({ metadata: { name }, driverName: DRIVER, parameters });
  };
  await attributes('slow', { speed: '1' });
  await attributes('odd', { color: 'red' });
  await claim(cluster, 'standard', 'slow');
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  expect((await claims.get('data')).status?.currentVolumeAttributesClassName).toBe('slow');

  await claims.patch('data', mergePatch({ spec: { volumeAttributesClassName: 'odd' } }));
  await cluster.settle();
  const refused = (await claims.get('data')).status;
  expect(refused?.modifyVolumeStatus).toEqual({ targetVolumeAttributesClassName: 'odd', status: 'Infeasible' });
  expect(refused?.currentVolumeAttributesClassName).toBe('slow');

  await attributes('fast', { speed: '9' });
  await claims.patch('data', mergePatch({ spec: { volumeAttributesClassName: 'fast' } }));
  await cluster.settle();
  const { status } = await claims.get('data');
  expect([status?.currentVolumeAttributesClassName, status?.modifyVolumeStatus, status?.conditions]).toEqual([
    'fast',
    undefined,
    undefined,
  ]);
  const [volume] = (await core.v1.persistentvolumes.list()).items;
  expect(volume?.spec?.volumeAttributesClassName).toBe('fast');
  expect(await eventsOf(cluster, 'data')).toContain(
    `Normal VolumeModifySuccessful: external resizer modified volume data with vac fast successfully`,
  );
});
