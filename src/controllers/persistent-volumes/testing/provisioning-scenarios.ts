import { PersistentVolume, PersistentVolumeClaim } from '../../../client/index.ts';
import type { Scenario } from '../../testing/scenarios/index.ts';
import { claim, claimSpec, podUsing, storageClass, touch, volume } from './samples.ts';

const DEFAULT = { 'storageclass.kubernetes.io/is-default-class': 'true' };

/** Scenarios about claims with classes. */
export const provisioning: Readonly<Record<string, Scenario>> = {
  'a volume is asked for, and made': async (world) => {
    await storageClass(world, 'fast', {});
    const { metadata } = await claim(world, 'data', { ...claimSpec(), storageClassName: 'fast' });
    await world.look('asked for');
    await volume(world, 'made', {
      storageClassName: 'fast',
      capacity: { storage: '1Gi' },
      claimRef: { namespace: world.namespace, name: 'data', uid: metadata.uid },
    });
    await world.look('bound');
  },

  'a class that is not there': async (world) => {
    await claim(world, 'data', { ...claimSpec(), storageClassName: 'nowhere' });
    await world.look('waiting');
  },

  'classes that nobody provides': async (world) => {
    await storageClass(world, 'manual', { provisioner: 'kubernetes.io/no-provisioner' });
    await storageClass(world, 'files', { provisioner: 'kubernetes.io/nfs' });
    await storageClass(world, 'paths', { provisioner: 'kubernetes.io/host-path' });
    await claim(world, 'a', { ...claimSpec(), storageClassName: 'manual' });
    await claim(world, 'b', { ...claimSpec(), storageClassName: 'files' });
    await claim(world, 'c', { ...claimSpec(), storageClassName: 'paths' });
    await world.look('waiting');
  },

  'a plugin that a driver has taken over from': async (world) => {
    await storageClass(world, 'disks', { provisioner: 'kubernetes.io/aws-ebs' });
    await claim(world, 'data', { ...claimSpec(), storageClassName: 'disks' });
    await world.look('asked for');
  },

  'a claim that waits for its first pod': async (world) => {
    await storageClass(world, 'late', { volumeBindingMode: 'WaitForFirstConsumer' });
    await volume(world, 'free', { storageClassName: 'late' });
    await claim(world, 'data', { ...claimSpec(), storageClassName: 'late' });
    await world.look('waiting for a pod');
    await podUsing(world, 'web', 'data');
    await touch(world, 'data');
    await world.look('waiting for a node');
    await world.change(PersistentVolumeClaim, 'data', {
      metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } },
    });
    await world.look('asked for');
  },

  'two pods that wait for one claim': async (world) => {
    await storageClass(world, 'late', { volumeBindingMode: 'WaitForFirstConsumer' });
    await podUsing(world, 'a', 'data');
    await podUsing(world, 'b', 'data');
    await claim(world, 'data', { ...claimSpec(), storageClassName: 'late' });
    await world.look('waiting');
  },

  'a reserved volume for a claim that waits for its first pod': async (world) => {
    await storageClass(world, 'late', { volumeBindingMode: 'WaitForFirstConsumer' });
    await volume(world, 'mine', { storageClassName: 'late', claimRef: { namespace: world.namespace, name: 'data' } });
    await claim(world, 'data', { ...claimSpec(), storageClassName: 'late' });
    await world.look('bound');
  },

  'a default class that comes later': async (world) => {
    const { storageClassName: _, ...spec } = claimSpec();
    await claim(world, 'data', spec);
    await world.look('waiting');
    await storageClass(world, 'first', { annotations: DEFAULT });
    await touch(world, 'data');
    await world.look('assigned');
  },

  'a claim without a class takes a volume before it takes the default one': async (world) => {
    const { storageClassName: _, ...spec } = claimSpec();
    await claim(world, 'data', spec);
    await volume(world, 'plain');
    await storageClass(world, 'first', { annotations: DEFAULT });
    await touch(world, 'data');
    await world.look('bound');
  },

  'a volume that was made for a claim which has another': async (world) => {
    await volume(world, 'first');
    const { metadata } = await claim(world, 'data', claimSpec());
    const claimRef = { namespace: world.namespace, name: 'data', uid: metadata.uid };
    await volume(world, 'reserved', { claimRef });
    await world.look('unbound');
    await world.change(PersistentVolume, 'reserved', { metadata: { labels: { touched: 'yes' } } });
    await world.look('stays');
  },

  'a volume of a plugin that a driver has taken over from': async (world) => {
    await volume(world, 'disk');
    await world.change(PersistentVolume, 'disk', {
      metadata: {
        annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/gce-pd' },
        finalizers: ['kubernetes.io/pv-controller', 'kubernetes.io/pv-protection'],
      },
    });
    await world.look('marked');
  },

  'a volume of a plugin that is still there': async (world) => {
    await volume(world, 'disk', { persistentVolumeReclaimPolicy: 'Delete' });
    await world.change(PersistentVolume, 'disk', {
      metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' } },
    });
    await world.look('protected');
    await world.change(PersistentVolume, 'disk', { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
    await world.look('not any more');
  },
};
