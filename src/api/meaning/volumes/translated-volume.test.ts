import { expect, test } from 'vitest';
import type { PersistentVolumeSpec } from '../../types/core/v1.d.ts';
import { csiSourceOf } from './translated-volume.ts';

function source(spec: Partial<PersistentVolumeSpec>, metadata: object = {}): unknown {
  return csiSourceOf({ metadata: { name: 'pv', ...metadata }, spec: spec as PersistentVolumeSpec });
}

test.each<[string, Partial<PersistentVolumeSpec>, object, object | undefined]>([
  [
    'an EBS volume with a zone in its name',
    { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-0123', fsType: 'ext4', partition: 2, readOnly: true } },
    {},
    {
      driver: 'ebs.csi.aws.com',
      volumeHandle: 'vol-0123',
      fsType: 'ext4',
      readOnly: true,
      volumeAttributes: { partition: '2' },
    },
  ],
  ['an EBS volume with a strange name', { awsElasticBlockStore: { volumeID: 'aws:///disk-1' } }, {}, undefined],
  [
    'a GCE disk without a zone',
    { gcePersistentDisk: { pdName: 'd' } },
    {},
    {
      driver: 'pd.csi.storage.gke.io',
      volumeHandle: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d',
      volumeAttributes: { partition: '' },
    },
  ],
  [
    'a GCE disk in two zones',
    { gcePersistentDisk: { pdName: 'd', partition: 1 } },
    { labels: { 'topology.kubernetes.io/zone': 'us-central1-a__us-central1-b' } },
    {
      driver: 'pd.csi.storage.gke.io',
      volumeHandle: 'projects/UNSPECIFIED/regions/us-central1/disks/d',
      volumeAttributes: { partition: '1' },
    },
  ],
  [
    'an Azure disk',
    {
      azureDisk: {
        diskName: 'd',
        diskURI: '/subscriptions/d',
        cachingMode: 'ReadOnly',
        fsType: 'xfs',
        kind: 'Managed',
      },
    },
    {},
    {
      driver: 'disk.csi.azure.com',
      volumeHandle: '/subscriptions/d',
      fsType: 'xfs',
      volumeAttributes: { kind: 'Managed', cachingmode: 'ReadOnly', fstype: 'xfs' },
    },
  ],
  ['an Azure disk that is not managed', { azureDisk: { diskName: 'd', diskURI: 'u', kind: 'Shared' } }, {}, undefined],
  [
    'an Azure share',
    { azureFile: { secretName: 'azure-storage-account-mine-secret', shareName: 's', secretNamespace: 'ns' } },
    { annotations: { 'kubernetes.io/azure-file-resource-group': 'rg' } },
    {
      driver: 'file.csi.azure.com',
      volumeHandle: 'rg#mine#s#pv#ns',
      nodeStageSecretRef: { name: 'azure-storage-account-mine-secret', namespace: 'ns' },
      volumeAttributes: { sharename: 's' },
    },
  ],
  ['a Cinder volume', { cinder: { volumeID: 'c' } }, {}, { driver: 'cinder.csi.openstack.org', volumeHandle: 'c' }],
  [
    'a vSphere volume',
    { vsphereVolume: { volumePath: '[store] a.vmdk', storagePolicyName: 'gold' } },
    {},
    {
      driver: 'csi.vsphere.vmware.com',
      volumeHandle: '[store] a.vmdk',
      volumeAttributes: { storagepolicyname: 'gold' },
    },
  ],
  [
    'a Portworx volume',
    { portworxVolume: { volumeID: 'p', fsType: 'ext4' } },
    {},
    { driver: 'pxd.portworx.com', volumeHandle: 'p', fsType: 'ext4' },
  ],
  ['a host path', { hostPath: { path: '/' } }, {}, undefined],
])('%s', (_, spec, metadata, expected) => {
  expect(source(spec, metadata)).toEqual(expected);
});
