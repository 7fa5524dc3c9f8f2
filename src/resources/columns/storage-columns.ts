import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../api/types/storage/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, boolean, column, each, integer, nameColumn, NONE, orElse, UNSET } from './column.ts';

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

export const storageClassColumns: readonly Column[] = [
  {
    ...nameColumn,
    value: ({ metadata }) => {
      const isDefault = DEFAULT_CLASS.some((annotation) => metadata.annotations?.[annotation] === 'true');
      return `${metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
    },
  },
  column<StorageClass>('Provisioner', 'Who makes the volumes', ({ provisioner }) => provisioner),
  column<StorageClass>(
    'ReclaimPolicy',
    'What becomes of volumes without their claim',
    ({ reclaimPolicy = 'Delete' }) => reclaimPolicy,
  ),
  column<StorageClass>(
    'VolumeBindingMode',
    'When volumes are made and bound',
    ({ volumeBindingMode = 'Immediate' }) => volumeBindingMode,
  ),
  column<StorageClass>(
    'AllowVolumeExpansion',
    'Whether volumes can grow',
    ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
  ),
  ageColumn,
];

export const volumeAttributesClassColumns: readonly Column[] = [
  nameColumn,
  column<VolumeAttributesClass>('DriverName', 'Driver that knows the attributes', ({ driverName }) => driverName),
  ageColumn,
];

export const volumeAttachmentColumns: readonly Column[] = [
  nameColumn,
  {
    ...column<VolumeAttachment>('Attacher', 'Driver that attaches the volume', ({ spec }) => spec?.attacher ?? ''),
    format: 'name',
  },
  column<VolumeAttachment>('PV', 'The volume', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
  column<VolumeAttachment>('Node', 'Node that it is attached to', ({ spec }) => spec?.nodeName ?? ''),
  boolean<VolumeAttachment>('Attached', 'Whether it is attached now', ({ status }) => status?.attached ?? false),
  ageColumn,
];

export const csiNodeColumns: readonly Column[] = [
  nameColumn,
  integer<CSINode>('Drivers', 'How many CSI drivers the node has', ({ spec }) => each(spec?.drivers).length),
  ageColumn,
];

export const csiDriverColumns: readonly Column[] = [
  nameColumn,
  driverFlag(
    'AttachRequired',
    ({ attachRequired = true }) => attachRequired,
    'Whether volumes must be attached before they are mounted',
  ),
  driverFlag(
    'PodInfoOnMount',
    ({ podInfoOnMount = false }) => podInfoOnMount,
    'Whether the driver is told about the pod',
  ),
  driverFlag(
    'StorageCapacity',
    ({ storageCapacity = false }) => storageCapacity,
    'Whether the driver publishes its capacity',
  ),
  column<CSIDriver>('TokenRequests', 'Audiences of the tokens that the driver gets', tokenRequests),
  driverFlag(
    'RequiresRepublish',
    ({ requiresRepublish = false }) => requiresRepublish,
    'Whether volumes are published again and again',
  ),
  column<CSIDriver>('Modes', 'Kinds of volumes it supports', ({ spec }) =>
    orElse(each(spec?.volumeLifecycleModes).join(','), NONE),
  ),
  ageColumn,
];

function driverFlag(name: string, flag: (spec: Partial<CSIDriver['spec']>) => boolean, description: string): Column {
  return boolean<CSIDriver>(name, description, ({ spec }) => flag(spec ?? {}));
}

function tokenRequests({ spec }: CSIDriver): string {
  if (spec?.tokenRequests === undefined) return UNSET;
  return spec.tokenRequests.map(({ audience }) => audience).join(',');
}
