import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, UNSET } from './column.ts';

type Volume = PersistentVolume | PersistentVolumeClaim;

const OLD_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const storageClassColumn: Column = column<Volume>(
  'StorageClass',
  ({ metadata, spec }) => metadata?.annotations?.[OLD_CLASS_ANNOTATION] ?? spec?.storageClassName ?? '',
  { description: 'Class of storage' },
);

const attributesClassColumn: Column = column<Volume>(
  'VolumeAttributesClass',
  ({ spec }) => spec?.volumeAttributesClassName ?? UNSET,
  { description: 'Class of attributes, such as speed' },
);

const volumeModeColumn: Column = column<Volume>('VolumeMode', ({ spec }) => spec?.volumeMode ?? UNSET, {
  isWide: true,
  description: 'File system or block device',
});

const statusColumn: Column = column<Volume>(
  'Status',
  ({ metadata, status }) => (metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'),
  { description: 'Whether it is bound, waits or goes away' },
);

export const persistentVolumeColumns: readonly Column[] = [
  nameColumn,
  column<PersistentVolume>('Capacity', ({ spec }) => spec?.capacity?.['storage'] ?? '0', {
    description: 'Size of the volume',
  }),
  column<PersistentVolume>('Access Modes', ({ spec }) => shortModes(spec?.accessModes), {
    description: 'How it can be mounted',
  }),
  column<PersistentVolume>('Reclaim Policy', ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '', {
    description: 'What becomes of it without its claim',
  }),
  statusColumn,
  column<PersistentVolume>('Claim', claimOf, { description: 'Claim that it is bound to' }),
  storageClassColumn,
  attributesClassColumn,
  column<PersistentVolume>('Reason', ({ status }) => status?.reason ?? '', { description: 'Why it is as it is' }),
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
  column<PersistentVolumeClaim>('Volume', volumeOf, { description: 'Volume that it is bound to' }),
  column<PersistentVolumeClaim>(
    'Capacity',
    (claim) => (volumeOf(claim) === '' ? '' : (claim.status?.capacity?.['storage'] ?? '0')),
    {
      description: 'Size of the volume',
    },
  ),
  column<PersistentVolumeClaim>(
    'Access Modes',
    (claim) => (volumeOf(claim) === '' ? '' : shortModes(claim.status?.accessModes)),
    { description: 'How the volume can be mounted' },
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
