// Volumes of former in-tree plugins as volumes of the CSI drivers that have replaced them.
import type { DeepReadonly } from '../../../base/index.ts';
import type { CSIPersistentVolumeSource, PersistentVolume } from '../../types/core/v1.d.ts';
import { driverOf } from './migrated-plugins.ts';

type Volume = DeepReadonly<PersistentVolume>;
type Spec = NonNullable<Volume['spec']>;
type Source = DeepReadonly<CSIPersistentVolumeSource>;
type Untitled = Omit<Source, 'driver'>;

/** Stands for the project and the zone of a disk where the volume does not name them. */
const UNSPECIFIED = 'UNSPECIFIED';
const ZONES = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'];
/** Between the zones of a volume that is in several. */
const ZONE_SEPARATOR = '__';

/** How the source of each plugin is said to its driver; undefined if it cannot be. */
const translations: readonly (readonly [
  plugin: string,
  translate: (spec: Spec, volume: Volume) => Untitled | undefined,
])[] = [
  ['kubernetes.io/aws-ebs', ({ awsElasticBlockStore: disk }) => disk && elasticBlockStore(disk)],
  ['kubernetes.io/azure-disk', ({ azureDisk: disk }) => disk && azureDisk(disk)],
  ['kubernetes.io/azure-file', ({ azureFile: share }, volume) => share && azureFile(share, volume)],
  ['kubernetes.io/cinder', ({ cinder }) => cinder && { volumeHandle: cinder.volumeID, ...commonOf(cinder) }],
  ['kubernetes.io/gce-pd', ({ gcePersistentDisk: disk }, volume) => disk && computeDisk(disk, volume)],
  ['kubernetes.io/portworx-volume', ({ portworxVolume }, volume) => portworxVolume && portworx(portworxVolume, volume)],
  [
    'kubernetes.io/vsphere-volume',
    ({ vsphereVolume }) =>
      vsphereVolume && {
        volumeHandle: vsphereVolume.volumePath,
        ...commonOf(vsphereVolume),
        ...(vsphereVolume.storagePolicyName === undefined
          ? {}
          : { volumeAttributes: { storagepolicyname: vsphereVolume.storagePolicyName } }),
      },
  ],
];

/** The source of a volume for its CSI driver: its own, or that of a former in-tree plugin translated; undefined for other volumes. */
export function csiSourceOf(volume: Volume | undefined): Source | undefined {
  const { spec } = volume ?? {};
  if (volume === undefined || spec === undefined) return undefined;
  if (spec.csi !== undefined) return spec.csi;
  for (const [plugin, translate] of translations) {
    const translated = translate(spec, volume);
    const driver = driverOf(plugin);
    if (translated !== undefined && driver !== undefined) return { driver, ...translated };
  }
  return undefined;
}

/** What several sources have in common. */
function commonOf({ fsType, readOnly }: { readonly fsType?: string; readonly readOnly?: boolean }): Partial<Source> {
  return { ...(fsType === undefined ? {} : { fsType }), ...(readOnly === true ? { readOnly } : {}) };
}

function elasticBlockStore(disk: NonNullable<Spec['awsElasticBlockStore']>): Untitled | undefined {
  const [, id = disk.volumeID] = /^aws:\/\/[^/]*\/+([^/]+)\/*$/.exec(disk.volumeID) ?? [];
  if (id.startsWith('aws://') || (id !== disk.volumeID && !id.startsWith('vol-'))) return undefined;
  return { volumeHandle: id, ...commonOf(disk), volumeAttributes: { partition: String(disk.partition ?? 0) } };
}

function azureDisk(disk: NonNullable<Spec['azureDisk']>): Untitled | undefined {
  const { kind = 'Managed', cachingMode, fsType, diskURI } = disk;
  if (kind.toLowerCase() !== 'managed') return undefined;
  return {
    volumeHandle: diskURI,
    ...commonOf(disk),
    volumeAttributes: {
      kind: 'Managed',
      ...(cachingMode === undefined ? {} : { cachingmode: cachingMode }),
      ...(fsType === undefined ? {} : { fstype: fsType }),
    },
  };
}

function azureFile(share: NonNullable<Spec['azureFile']>, { metadata, spec }: Volume): Untitled | undefined {
  const { secretName, shareName, secretNamespace, readOnly } = share;
  const [, account = secretName] = /azure-storage-account-(.+)-secret/.exec(secretName) ?? [];
  const namespace = secretNamespace ?? spec?.claimRef?.namespace ?? '';
  if (namespace === '') return undefined;
  const group = metadata?.annotations?.['kubernetes.io/azure-file-resource-group'] ?? '';
  return {
    volumeHandle: [group, account, shareName, metadata?.name ?? '', namespace].join('#'),
    ...commonOf({ ...(readOnly === undefined ? {} : { readOnly }) }),
    nodeStageSecretRef: { name: secretName, namespace },
    volumeAttributes: { sharename: shareName },
  };
}

function computeDisk(disk: NonNullable<Spec['gcePersistentDisk']>, { metadata }: Volume): Untitled | undefined {
  const [label = ''] = ZONES.map((name) => metadata?.labels?.[name] ?? '').filter((text) => text !== '');
  const zones = label.split(ZONE_SEPARATOR);
  const [zone = ''] = zones;
  const regions = new Set(zones.map((each) => each.replace(/-[^-]*$/, '')));
  if (zones.length > 1 && regions.size > 1) return undefined;
  const place = zones.length > 1 ? `regions/${[...regions].join()}` : `zones/${zone === '' ? UNSPECIFIED : zone}`;
  const { partition = 0, pdName } = disk;
  return {
    volumeHandle: `projects/${UNSPECIFIED}/${place}/disks/${pdName}`,
    ...commonOf(disk),
    volumeAttributes: { partition: partition === 0 ? '' : String(partition) },
  };
}

function portworx(volume: NonNullable<Spec['portworxVolume']>, { metadata }: Volume): Untitled {
  const { fsType, volumeID } = volume;
  const [name, namespace] = ['name', 'namespace'].map(
    (part) => metadata?.annotations?.[`openstorage.io/auth-secret-${part}`],
  );
  const secret = name === undefined || namespace === undefined ? undefined : { name, namespace };
  return {
    volumeHandle: volumeID,
    ...(fsType === undefined ? {} : { fsType }),
    ...(secret === undefined
      ? {}
      : {
          controllerPublishSecretRef: secret,
          nodeStageSecretRef: secret,
          nodePublishSecretRef: secret,
          controllerExpandSecretRef: secret,
          nodeExpandSecretRef: secret,
        }),
  };
}
