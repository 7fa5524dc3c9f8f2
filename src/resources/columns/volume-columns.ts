import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, UNSET, wide } from './column.ts';

type Volume = PersistentVolume | PersistentVolumeClaim;

const OLD_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const storageClassColumn: Column = column<Volume>(
  'StorageClass',
  'Class of storage',
  ({ metadata, spec }) => metadata?.annotations?.[OLD_CLASS_ANNOTATION] ?? spec?.storageClassName ?? '',
);

const attributesClassColumn: Column = column<Volume>(
  'VolumeAttributesClass',
  'Class of attributes, such as speed',
  ({ spec }) => spec?.volumeAttributesClassName ?? UNSET,
);

const volumeModeColumn: Column = wide<Volume>(
  'VolumeMode',
  'File system or block device',
  ({ spec }) => spec?.volumeMode ?? UNSET,
);

const statusColumn: Column = column<Volume>(
  'Status',
  'Whether it is bound, waits or goes away',
  ({ metadata, status }) => (metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'),
);

export const persistentVolumeColumns: readonly Column[] = [
  nameColumn,
  column<PersistentVolume>('Capacity', 'Size of the volume', ({ spec }) => spec?.capacity?.['storage'] ?? '0'),
  column<PersistentVolume>('Access Modes', 'How it can be mounted', ({ spec }) => shortModes(spec?.accessModes)),
  column<PersistentVolume>(
    'Reclaim Policy',
    'What becomes of it without its claim',
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
  ),
  statusColumn,
  column<PersistentVolume>('Claim', 'Claim that it is bound to', claimOf),
  storageClassColumn,
  attributesClassColumn,
  column<PersistentVolume>('Reason', 'Why it is as it is', ({ status }) => status?.reason ?? ''),
  ageColumn,
  volumeModeColumn,
];

function claimOf({ spec }: PersistentVolume): string {
  const claim = spec?.claimRef;
  return claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`;
}

/** Shows what the bound volume gives; nothing is known before. */
export const persistentVolumeClaimColumns: readonly Column[] = [
  nameColumn,
  statusColumn,
  column<PersistentVolumeClaim>('Volume', 'Volume that it is bound to', volumeOf),
  column<PersistentVolumeClaim>('Capacity', 'Size of the volume', (claim) =>
    volumeOf(claim) === '' ? '' : (claim.status?.capacity?.['storage'] ?? '0'),
  ),
  column<PersistentVolumeClaim>('Access Modes', 'How the volume can be mounted', (claim) =>
    volumeOf(claim) === '' ? '' : shortModes(claim.status?.accessModes),
  ),
  storageClassColumn,
  attributesClassColumn,
  ageColumn,
  volumeModeColumn,
];

function volumeOf({ spec }: PersistentVolumeClaim): string {
  return spec?.volumeName ?? '';
}

const SHORT_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function shortModes(modes: readonly string[] | undefined): string {
  const given = new Set(each(modes));
  return SHORT_MODES.filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(',');
}
