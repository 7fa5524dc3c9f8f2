import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../api/types/storage/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, UNSET } from './column.ts';

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
  column<StorageClass>('Provisioner', ({ provisioner }) => provisioner, { description: 'Who makes the volumes' }),
  column<StorageClass>('ReclaimPolicy', ({ reclaimPolicy = 'Delete' }) => reclaimPolicy, {
    description: 'What becomes of volumes without their claim',
  }),
  column<StorageClass>('VolumeBindingMode', ({ volumeBindingMode = 'Immediate' }) => volumeBindingMode, {
    description: 'When volumes are made and bound',
  }),
  column<StorageClass>('AllowVolumeExpansion', ({ allowVolumeExpansion = false }) => allowVolumeExpansion, {
    description: 'Whether volumes can grow',
  }),
  ageColumn,
];

export const volumeAttributesClassColumns: readonly Column[] = [
  nameColumn,
  column<VolumeAttributesClass>('DriverName', ({ driverName }) => driverName, {
    description: 'Driver that knows the attributes',
  }),
  ageColumn,
];

export const volumeAttachmentColumns: readonly Column[] = [
  nameColumn,
  column<VolumeAttachment>('Attacher', ({ spec }) => spec?.attacher ?? '', {
    format: 'name',
    description: 'Driver that attaches the volume',
  }),
  column<VolumeAttachment>('PV', ({ spec }) => spec?.source?.persistentVolumeName ?? '', { description: 'The volume' }),
  column<VolumeAttachment>('Node', ({ spec }) => spec?.nodeName ?? '', { description: 'Node that it is attached to' }),
  column<VolumeAttachment>('Attached', ({ status }) => status?.attached ?? false, {
    type: 'boolean',
    description: 'Whether it is attached now',
  }),
  ageColumn,
];

export const csiNodeColumns: readonly Column[] = [
  nameColumn,
  column<CSINode>('Drivers', ({ spec }) => each(spec?.drivers).length, {
    type: 'integer',
    description: 'How many CSI drivers the node has',
  }),
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
  column<CSIDriver>('TokenRequests', tokenRequests, { description: 'Audiences of the tokens that the driver gets' }),
  driverFlag(
    'RequiresRepublish',
    ({ requiresRepublish = false }) => requiresRepublish,
    'Whether volumes are published again and again',
  ),
  column<CSIDriver>('Modes', ({ spec }) => orElse(each(spec?.volumeLifecycleModes).join(','), NONE), {
    description: 'Kinds of volumes it supports',
  }),
  ageColumn,
];

function driverFlag(name: string, flag: (spec: Partial<CSIDriver['spec']>) => boolean, description: string): Column {
  return column<CSIDriver>(name, ({ spec }) => flag(spec ?? {}), { type: 'boolean', description });
}

function tokenRequests({ spec }: CSIDriver): string {
  if (spec?.tokenRequests === undefined) return UNSET;
  return spec.tokenRequests.map(({ audience }) => audience).join(',');
}
