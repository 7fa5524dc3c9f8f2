import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

type Source = Pick<
  NonNullable<PersistentVolume['spec']>,
  'csi' | 'hostPath' | 'nfs' | 'gcePersistentDisk' | 'awsElasticBlockStore' | 'iscsi' | 'local' | 'nodeAffinity'
>;

/** A claim of an expandable class, bound to a volume. */
async function bound(world: ScenarioWorld, name: string, source: Source): Promise<void> {
  await world.create(StorageClass, {
    metadata: { name: `grows-${name}` },
    provisioner: 'csi.example.com',
    allowVolumeExpansion: true,
  });
  const { metadata } = await world.create(PersistentVolumeClaim, {
    metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: `grows-${name}`,
      volumeName: name,
    },
  });
  await world.create(PersistentVolume, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: `grows-${name}`,
      claimRef: { kind: 'PersistentVolumeClaim', namespace: world.namespace, name, uid: metadata.uid },
      ...source,
    },
  });
  await world.changeStatus(PersistentVolume, name, { phase: 'Bound' });
  await world.changeStatus(PersistentVolumeClaim, name, { phase: 'Bound', capacity: { storage: '1Gi' } });
}

async function grow(world: ScenarioWorld, name: string, storage = '2Gi'): Promise<void> {
  await world.change(PersistentVolumeClaim, name, { spec: { resources: { requests: { storage } } } });
}

const csi = { driver: 'csi.example.com', volumeHandle: 'a' };

/** Scenarios about claims that request more storage. */
export const topic: ScenarioTopic = {
  controllers: ['persistentvolume-expander-controller'],
  seen: [
    see(PersistentVolume, ({ spec }) => spec?.capacity),
    see(PersistentVolumeClaim, ({ spec }) => spec?.resources),
    see(StorageClass),
  ],
  scenarios: {
    'a volume of a driver': async (world) => {
      await bound(world, 'csi', { csi });
      await grow(world, 'csi');
      await world.look('left to the driver');
    },

    'a volume of a driver, as it is resized': async (world) => {
      await bound(world, 'resized', { csi });
      await grow(world, 'resized', '3Gi');
      await world.changeStatus(PersistentVolumeClaim, 'resized', { capacity: { storage: '2Gi' } });
      await world.look('halfway');
      await world.changeStatus(PersistentVolumeClaim, 'resized', { capacity: { storage: '3Gi' } });
      await world.look('done');
    },

    'a path of the host': async (world) => {
      await bound(world, 'path', { hostPath: { path: '/srv/none' } });
      await grow(world, 'path');
      await world.look('told');
    },

    'a volume of a plugin that a driver has taken over from': async (world) => {
      await bound(world, 'disk', { gcePersistentDisk: { pdName: 'disk' } });
      await grow(world, 'disk');
      await world.look('named');
    },

    'a share that nobody can make larger': async (world) => {
      await bound(world, 'share', { nfs: { server: 'files.example.com', path: '/' } });
      await grow(world, 'share');
      await world.look('told');
    },

    'a disk of the network': async (world) => {
      await bound(world, 'iscsi', { iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2020-01.com.example:a', lun: 0 } });
      await grow(world, 'iscsi');
      await world.look('told');
    },

    'a claim that gets no larger': async (world) => {
      await bound(world, 'same', { csi });
      await world.change(PersistentVolumeClaim, 'same', { metadata: { labels: { touched: 'yes' } } });
      await world.look('nothing');
    },
  },
};
