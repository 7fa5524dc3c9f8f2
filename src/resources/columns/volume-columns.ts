import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { column, each, UNSET, wide } from './column.ts';

type Volume = PersistentVolume | PersistentVolumeClaim;

const OLD_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const storageClassColumn: Column<Volume> = column(
  'StorageClass',
  'Class of storage',
  ({ metadata, spec }) => metadata?.annotations?.[OLD_CLASS_ANNOTATION] ?? spec?.storageClassName ?? '',
);

export const attributesClassColumn: Column<Volume> = column(
  'VolumeAttributesClass',
  'Class of attributes, such as speed',
  ({ spec }) => spec?.volumeAttributesClassName ?? UNSET,
);

export const volumeModeColumn: Column<Volume> = wide(
  'VolumeMode',
  'File system or block device',
  ({ spec }) => spec?.volumeMode ?? UNSET,
);

export const statusColumn: Column<Volume> = column(
  'Status',
  'Whether it is bound, waits or goes away',
  ({ metadata, status }) => (metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'),
);

const SHORT_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export function shortModes(modes: readonly string[] | undefined): string {
  const given = new Set(each(modes));
  return SHORT_MODES.filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(',');
}
