import { mergePatch, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../../client/index.ts';
import { type Scenario, type ScenarioTopic, see } from '../../testing/scenarios/index.ts';
import { provisioning } from './provisioning-scenarios.ts';
import { recycling } from './recycling-scenarios.ts';
import { claim, claimSpec, removeClaim, touch, volume } from './samples.ts';

const matching: Readonly<Record<string, Scenario>> = {
  'the smallest volume that is large enough': async (world) => {
    await volume(world, 'big', { capacity: { storage: '10Gi' } });
    await volume(world, 'small', { capacity: { storage: '1Gi' } });
    await volume(world, 'right', { capacity: { storage: '3Gi' } });
    await world.look('volumes');
    await claim(world, 'data', claimSpec('2Gi'));
    await world.look('bound');
  },

  'no volume is large enough': async (world) => {
    await volume(world, 'small', { capacity: { storage: '1Gi' } });
    await claim(world, 'data', claimSpec('2Gi'));
    await world.look('waiting');
    await volume(world, 'large', { capacity: { storage: '2Gi' } });
    await touch(world, 'data');
    await world.look('bound');
  },

  'volumes with fewer access modes come first': async (world) => {
    await volume(world, 'many', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'] });
    await volume(world, 'other', { accessModes: ['ReadOnlyMany'] });
    await volume(world, 'two', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], capacity: { storage: '50Gi' } });
    await claim(world, 'data', claimSpec());
    await world.look('bound');
  },

  'the class has to be the same': async (world) => {
    await volume(world, 'none');
    await volume(world, 'gold', { storageClassName: 'gold' });
    await claim(world, 'data', { ...claimSpec(), storageClassName: 'gold' });
    await claim(world, 'more', claimSpec());
    await world.look('bound');
  },

  'a selector chooses by labels': async (world) => {
    await volume(world, 'red', {}, { color: 'red' });
    await volume(world, 'blue', { capacity: { storage: '9Gi' } }, { color: 'blue' });
    await claim(world, 'data', { ...claimSpec(), selector: { matchLabels: { color: 'blue' } } });
    await claim(world, 'more', { ...claimSpec(), selector: { matchLabels: { color: 'green' } } });
    await world.look('bound');
  },

  'block devices are for claims of such': async (world) => {
    await volume(world, 'files');
    await volume(world, 'device', { volumeMode: 'Block', capacity: { storage: '9Gi' } });
    await claim(world, 'data', { ...claimSpec(), volumeMode: 'Block' });
    await world.look('bound');
  },

  'the attributes class has to be the same': async (world) => {
    await volume(world, 'plain');
    await claim(world, 'data', { ...claimSpec(), volumeAttributesClassName: 'fast' });
    await world.look('waiting');
  },

  'two claims and one volume': async (world) => {
    await volume(world, 'only');
    await claim(world, 'first', claimSpec());
    await claim(world, 'second', claimSpec());
    await world.look('one is bound');
  },
};

const reserved: Readonly<Record<string, Scenario>> = {
  'a claim names its volume': async (world) => {
    await volume(world, 'small');
    await volume(world, 'named', { capacity: { storage: '7Gi' } });
    await claim(world, 'data', { ...claimSpec(), volumeName: 'named' });
    await world.look('bound');
  },

  'a claim names a volume that does not fit': async (world) => {
    await volume(world, 'small', { capacity: { storage: '1Gi' } });
    await volume(world, 'gold', { storageClassName: 'gold' });
    await volume(world, 'many', { accessModes: ['ReadOnlyMany'] });
    await volume(world, 'device', { volumeMode: 'Block' });
    await claim(world, 'a', { ...claimSpec('2Gi'), volumeName: 'small' });
    await claim(world, 'b', { ...claimSpec(), volumeName: 'gold' });
    await claim(world, 'c', { ...claimSpec(), volumeName: 'many' });
    await claim(world, 'd', { ...claimSpec(), volumeName: 'device' });
    await world.look('waiting');
  },

  'a claim names a volume that comes later': async (world) => {
    await claim(world, 'data', { ...claimSpec(), volumeName: 'late' });
    await world.look('waiting');
    await volume(world, 'late');
    await touch(world, 'data');
    await world.look('bound');
  },

  'a claim names a volume that has another claim': async (world) => {
    await volume(world, 'taken');
    await claim(world, 'first', { ...claimSpec(), volumeName: 'taken' });
    await claim(world, 'second', { ...claimSpec(), volumeName: 'taken' });
    await world.look('one is bound');
  },

  'a volume is reserved for a claim': async (world) => {
    await volume(world, 'small', { capacity: { storage: '1Gi' } });
    await volume(world, 'mine', {
      capacity: { storage: '9Gi' },
      claimRef: { namespace: world.namespace, name: 'data' },
    });
    await world.look('reserved');
    await claim(world, 'data', claimSpec());
    await world.look('bound');
  },

  'a volume is reserved for another claim': async (world) => {
    await volume(world, 'theirs', { claimRef: { namespace: world.namespace, name: 'other' } });
    await claim(world, 'data', claimSpec());
    await world.look('waiting');
  },

  'a volume that is reserved by uid for a claim of the other mode': async (world) => {
    const { metadata } = await claim(world, 'data', claimSpec());
    const claimRef = { namespace: world.namespace, name: 'data', uid: metadata.uid };
    await volume(world, 'device', { volumeMode: 'Block', claimRef });
    await world.look('told');
  },
};

const ending: Readonly<Record<string, Scenario>> = {
  'a claim loses its volume': async (world) => {
    await volume(world, 'v');
    await claim(world, 'data', claimSpec());
    await world.look('bound');
    const volumes = world.of(PersistentVolume);
    await volumes.patch('v', mergePatch({ metadata: { finalizers: null } }));
    await volumes.delete('v');
    await world.look('lost');
  },

  'a volume is given to somebody else': async (world) => {
    await volume(world, 'v');
    await claim(world, 'data', claimSpec());
    await world.change(PersistentVolume, 'v', { spec: { claimRef: { uid: '00000000-0000-4000-8000-000000000000' } } });
    await touch(world, 'data');
    await world.look('misbound');
  },

  'a volume that is retained, and freed by hand': async (world) => {
    await volume(world, 'v');
    await claim(world, 'data', claimSpec());
    await removeClaim(world, 'data');
    await world.look('released');
    await claim(world, 'data', claimSpec());
    await world.look('not bound again');
    await world.change(PersistentVolume, 'v', { spec: { claimRef: null } });
    await touch(world, 'data');
    await world.look('bound again');
  },

  'a volume on a path that may be deleted': async (world) => {
    const hostPath = { path: '/tmp/keelson-scenario/none' };
    await volume(world, 'v', { persistentVolumeReclaimPolicy: 'Delete', hostPath });
    await claim(world, 'data', claimSpec());
    await removeClaim(world, 'data');
    await world.look('deleted');
  },

  'a volume on a path that may not be deleted': async (world) => {
    await volume(world, 'v', { persistentVolumeReclaimPolicy: 'Delete' });
    await claim(world, 'data', claimSpec());
    await removeClaim(world, 'data');
    await world.look('failed');
  },

  'volumes that nobody can delete': async (world) => {
    const without = { persistentVolumeReclaimPolicy: 'Delete', hostPath: null } as const;
    await volume(world, 'nfs', { ...without, nfs: { server: 'files.example.com', path: '/' } });
    await volume(world, 'iscsi', {
      ...without,
      iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2020-01.com.example:a', lun: 0 },
    });
    await claim(world, 'a', { ...claimSpec(), volumeName: 'nfs' });
    await claim(world, 'b', { ...claimSpec(), volumeName: 'iscsi' });
    await removeClaim(world, 'a');
    await removeClaim(world, 'b');
    await world.look('failed');
  },

  'a volume of a driver is left to it': async (world) => {
    const csi = { driver: 'csi.example.com', volumeHandle: 'a' };
    await volume(world, 'v', { persistentVolumeReclaimPolicy: 'Delete', hostPath: null, csi });
    await claim(world, 'data', claimSpec());
    await removeClaim(world, 'data');
    await world.look('released');
  },

  'a volume that cannot be recycled': async (world) => {
    const iscsi = { targetPortal: '10.0.0.1', iqn: 'iqn.2020-01.com.example:a', lun: 0 };
    await volume(world, 'v', { persistentVolumeReclaimPolicy: 'Recycle', hostPath: null, iscsi });
    await claim(world, 'data', claimSpec());
    await removeClaim(world, 'data');
    await world.look('failed');
  },
};

/** Scenarios about claims and volumes. */
export const topic: ScenarioTopic = {
  controllers: ['persistentvolume-binder-controller'],
  // Disables periodic retries, whose times differ between runs; scenarios trigger them by touching objects.
  flags: ['--pvclaimbinder-sync-period=2h'],
  seen: [
    see(PersistentVolume, ({ spec }) => {
      const { resourceVersion: _, ...claimRef } = spec?.claimRef ?? {};
      return { ...spec, claimRef };
    }),
    see(PersistentVolumeClaim, ({ spec }) => spec),
    see(Pod, ({ spec }) => spec?.nodeName),
    see(StorageClass),
  ],
  // The real controller skips a request while another for the same claim is in progress.
  masks: [[/x\d+(?=: (?:Waiting for a volume to be created|Volume is used by pods))/g, 'x?']],
  scenarios: { ...matching, ...reserved, ...ending, ...provisioning, ...recycling },
};
