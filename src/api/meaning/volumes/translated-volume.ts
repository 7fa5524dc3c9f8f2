// Volumes of former in-tree plugins as volumes of the CSI drivers that have replaced them.
import type { DeepReadonly } from '../../../base/index.ts';
import type { CSIPersistentVolumeSource, PersistentVolume, Volume as PodVolume } from '../../types/core/v1.d.ts';
import { driverOf } from './migrated-plugins.ts';

type Volume = DeepReadonly<PersistentVolume>;
type Spec = NonNullable<Volume['spec']>;
type Source = DeepReadonly<CSIPersistentVolumeSource>;
type Untitled = Omit<Source, 'driver'>;

/** The fields of volumes that name the disks of former in-tree plugins. */
const IN_TREE_SOURCES = new Set([
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cinder',
  'gcePersistentDisk',
  'portworxVolume',
  'vsphereVolume',
]);
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

/** A volume as its CSI driver gets it, with the source of a former in-tree plugin translated; other volumes as they are. */
export function translatedVolume<T extends Volume>(volume: T): T {
  const csi = csiSourceOf(volume);
  if (csi === undefined || volume.spec?.csi !== undefined) return volume;
  const kept = Object.entries(volume.spec ?? {}).filter(([field]) => !IN_TREE_SOURCES.has(field));
  return { ...volume, spec: { ...Object.fromEntries(kept), csi } };
}

/** A volume that a pod describes itself, as the persistent volume that stands for it. */
export interface InlineVolume {
  readonly metadata: { readonly name: string };
  readonly spec: Spec & { readonly csi: Source };
}

/**
 * A pod's own volume of a former in-tree plugin as the persistent volume that its CSI driver gets; undefined for volumes of other kinds, and
 * for those that the driver cannot have.
 */
export function inlineVolumeOf(volume: DeepReadonly<PodVolume>, namespace: string): InlineVolume | undefined {
  const disk = diskOf(volume, namespace);
  if (disk === undefined) return undefined;
  const { name, source, accessMode } = disk;
  const csi = csiSourceOf({ metadata: { name: volume.name }, spec: { ...source, claimRef: { namespace } } });
  if (csi === undefined) return undefined;
  // of these two, upstream leaves out whether they are read-only
  const { readOnly: _, ...writable } = csi;
  const isPlain = source.portworxVolume !== undefined || source.vsphereVolume !== undefined;
  return {
    metadata: { name: name ?? `${csi.driver}-${csi.volumeHandle}` },
    spec: { accessModes: [accessMode], volumeMode: 'Filesystem', csi: isPlain ? writable : csi },
  };
}

interface InlineDisk {
  /** Default the driver's name and the handle. */
  readonly name?: string;
  readonly source: Spec;
  readonly accessMode: 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany';
}

/** The source of a pod's volume in the form of a persistent volume. */
function diskOf(volume: DeepReadonly<PodVolume>, namespace: string): InlineDisk | undefined {
  const { awsElasticBlockStore, azureDisk: azure, azureFile: share, cinder, gcePersistentDisk } = volume;
  const { portworxVolume, vsphereVolume } = volume;
  const once = 'ReadWriteOnce';
  const readable = (isReadOnly: boolean | undefined): InlineDisk['accessMode'] =>
    isReadOnly === true ? 'ReadOnlyMany' : once;
  if (awsElasticBlockStore !== undefined) return { source: { awsElasticBlockStore }, accessMode: once };
  if (azure !== undefined) return { name: azure.diskURI, source: { azureDisk: azure }, accessMode: once };
  if (share !== undefined) {
    const source = { azureFile: { ...share, secretNamespace: namespace } };
    const name = csiSourceOf({ metadata: { name: volume.name }, spec: source })?.volumeHandle;
    return { ...(name === undefined ? {} : { name }), source, accessMode: 'ReadWriteMany' };
  }
  if (cinder !== undefined) {
    const { secretRef: _, ...disk } = cinder;
    return { source: { cinder: disk }, accessMode: once };
  }
  if (gcePersistentDisk !== undefined) {
    const { pdName, readOnly } = gcePersistentDisk;
    const name = `${driverOf('kubernetes.io/gce-pd')}-${pdName}`;
    return { name, source: { gcePersistentDisk }, accessMode: readable(readOnly) };
  }
  if (portworxVolume !== undefined)
    return { source: { portworxVolume }, accessMode: readable(portworxVolume.readOnly) };
  return vsphereVolume === undefined ? undefined : { source: { vsphereVolume }, accessMode: once };
}

/**
 * The handle with what it leaves open, the project and the zone of a GCE disk, taken from the driver's id of the node; other handles as
 * they are.
 */
export function completeHandle(
  { driver, volumeHandle }: Pick<Source, 'driver' | 'volumeHandle'>,
  nodeId: string,
): string {
  if (driver !== driverOf('kubernetes.io/gce-pd')) return volumeHandle;
  const [, project, kind, place, , disk] = volumeHandle.split('/');
  const [, nodeProject, , nodeZone] = nodeId.split('/');
  if (project !== UNSPECIFIED || disk === undefined) return volumeHandle;
  if (nodeProject === undefined || nodeZone === undefined)
    throw new Error(`Cannot complete the handle "${volumeHandle}" by the node's id "${nodeId}": it names no zone`);
  const nodePlace = kind === 'regions' ? nodeZone.replace(/-[^-]*$/, '') : nodeZone;
  return `projects/${nodeProject}/${kind}/${place === UNSPECIFIED ? nodePlace : place}/disks/${disk}`;
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
