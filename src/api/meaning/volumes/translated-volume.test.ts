import { expect, test } from 'vitest';
import type { PersistentVolumeSpec, Volume } from '../../types/core/v1.d.ts';
import { completeHandle, csiSourceOf, inlineVolumeOf, translatedVolume } from './translated-volume.ts';

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

test.each<[string, Partial<Volume>, string | undefined, string | undefined, string | undefined]>([
  ['awsElasticBlockStore', { volumeID: 'aws://a/vol-1' }, 'ebs.csi.aws.com-vol-1', 'vol-1', 'ReadWriteOnce'],
  ['azureDisk', { diskName: 'd', diskURI: '/disks/d' }, '/disks/d', '/disks/d', 'ReadWriteOnce'],
  ['azureFile', { secretName: 's', shareName: 'f' }, '#s#f#v#ns', '#s#f#v#ns', 'ReadWriteMany'],
  ['cinder', { volumeID: 'c' }, 'cinder.csi.openstack.org-c', 'c', 'ReadWriteOnce'],
  [
    'gcePersistentDisk',
    { pdName: 'd', readOnly: true },
    'pd.csi.storage.gke.io-d',
    'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d',
    'ReadOnlyMany',
  ],
  ['portworxVolume', { volumeID: 'p', readOnly: true }, 'pxd.portworx.com-p', 'p', 'ReadOnlyMany'],
  ['vsphereVolume', { volumePath: '[s] a' }, 'csi.vsphere.vmware.com-[s] a', '[s] a', 'ReadWriteOnce'],
  ['azureDisk', { diskName: 'd', diskURI: 'u', kind: 'Dedicated' }, undefined, undefined, undefined],
  ['hostPath', { path: '/' }, undefined, undefined, undefined],
] as unknown as [string, Partial<Volume>, string | undefined, string | undefined, string | undefined][])(
  'a pod that describes a volume %s itself gets %j as %s',
  (field, source, ...expected) => {
    const found = inlineVolumeOf({ name: 'v', [field]: source } as Volume, 'ns');
    expect([found?.metadata.name, found?.spec.csi.volumeHandle, found?.spec.accessModes?.[0]]).toEqual(expected);
  },
);

test('a translated volume keeps all but its source, and one of a driver is left alone', () => {
  const spec = { awsElasticBlockStore: { volumeID: 'vol-1' }, capacity: { storage: '1Gi' } };
  const csi = { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1', volumeAttributes: { partition: '0' } };
  expect(translatedVolume({ metadata: { name: 'pv' }, spec }).spec).toEqual({ capacity: { storage: '1Gi' }, csi });
  const own = { metadata: { name: 'pv' }, spec: { csi: { driver: 'mine', volumeHandle: 'v' } } };
  expect(translatedVolume(own)).toBe(own);
});

test('a handle without project and zone gets those of the node', () => {
  const driver = 'pd.csi.storage.gke.io';
  const complete = (place: string): string =>
    completeHandle(
      { driver, volumeHandle: `projects/UNSPECIFIED/${place}/disks/d` },
      'projects/p/zones/e-1-a/instances/n',
    );
  expect(complete('zones/UNSPECIFIED')).toBe('projects/p/zones/e-1-a/disks/d');
  expect(complete('zones/e-1-b')).toBe('projects/p/zones/e-1-b/disks/d');
  expect(complete('regions/UNSPECIFIED')).toBe('projects/p/regions/e-1/disks/d');
  expect(completeHandle({ driver, volumeHandle: 'projects/q/zones/z/disks/d' }, 'n')).toBe(
    'projects/q/zones/z/disks/d',
  );
  expect(completeHandle({ driver: 'other', volumeHandle: 'v' }, 'n')).toBe('v');
  expect(() => completeHandle({ driver, volumeHandle: 'projects/UNSPECIFIED/zones/a/disks/d' }, 'n')).toThrow(
    'it names no zone',
  );
});
