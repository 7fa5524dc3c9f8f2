import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { volumeExpandController } from './volume-expand-controller.ts';

const BEFORE_RESIZE = 'volume.alpha.kubernetes.io/pre-resize-capacity';

test('a FlexVolume gets its size from the controller, and the node finishes', async () => {
  await using cluster = await startWith(volumeExpandController());
  const { core, storage } = cluster.client;
  const { persistentvolumes: volumes } = core.v1;
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const grows = 'grows';
  await storage.v1.storageclasses.create({
    metadata: { name: grows },
    provisioner: 'example.com/disk',
    allowVolumeExpansion: true,
  });
  const spec = { accessModes: ['ReadWriteOnce' as const], storageClassName: grows };
  const { metadata } = await claims.create({
    metadata: { name: 'data' },
    spec: { ...spec, resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
  });
  const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid: metadata.uid };
  const flexVolume = { driver: 'example.com/disk' };
  await volumes.create({
    metadata: { name: 'v' },
    spec: { ...spec, capacity: { storage: '1Gi' }, claimRef, flexVolume },
  });
  await claims.status.patch('data', mergePatch({ status: { phase: 'Bound', capacity: { storage: '1Gi' } } }));
  await cluster.settle();

  await claims.patch('data', mergePatch({ spec: { resources: { requests: { storage: '2Gi' } } } }));
  await cluster.settle();

  const waiting = await claims.get('data');
  expect(waiting.metadata.annotations).toMatchObject({ 'volume.kubernetes.io/storage-resizer': 'example.com/disk' });
  expect(waiting.status).toMatchObject({
    capacity: { storage: '1Gi' },
    allocatedResources: { storage: '2Gi' },
    allocatedResourceStatuses: { storage: 'NodeResizePending' },
    conditions: [{ type: 'Resizing' }, { type: 'FileSystemResizePending' }],
  });
  const grown = await volumes.get('v');
  expect(grown.spec?.capacity).toEqual({ storage: '2Gi' });
  expect(grown.metadata.annotations?.[BEFORE_RESIZE]).toBe('1Gi');

  const done = { capacity: { storage: '2Gi' }, allocatedResourceStatuses: null, conditions: null };
  await claims.status.patch('data', mergePatch({ status: done }));
  await cluster.settle();

  expect((await volumes.get('v')).metadata.annotations?.[BEFORE_RESIZE]).toBeUndefined();
});
