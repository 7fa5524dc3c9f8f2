import { type FieldError, forbiddenField } from '../../api/index.ts';
import type { StorageClass, VolumeAttributesClass } from '../../api/types/storage/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind } from '../kind.ts';
import { checkParameters, checkStorageClass } from './storageclass-rules.ts';

const GROUP = 'storage.k8s.io';

/** Classes of storage, and of what can be changed about a volume later. */
export const storageClasses = defineKind<StorageClass>({
  group: GROUP,
  plural: 'storageclasses',
  columns: [
    {
      ...nameColumn,
      value: ({ metadata }) => {
        const isDefault = DEFAULT_CLASS.some((annotation) => metadata?.annotations?.[annotation] === 'true');
        return `${metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`;
      },
    },
    column('Provisioner', 'Who makes the volumes', ({ provisioner }) => provisioner),
    column(
      'ReclaimPolicy',
      'What becomes of volumes without their claim',
      ({ reclaimPolicy = 'Delete' }) => reclaimPolicy,
    ),
    column(
      'VolumeBindingMode',
      'When volumes are made and bound',
      ({ volumeBindingMode = 'Immediate' }) => volumeBindingMode,
    ),
    column(
      'AllowVolumeExpansion',
      'Whether volumes can grow',
      ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
    ),
    ageColumn,
  ],
  returnsDeletedObject: true,
  judges: ['allowedTopologies.matchLabelExpressions.key'],
  validate: checkStorageClass,
  validateUpdate: () => [], // what may not change is marked in the type
});

export const volumeAttributesClasses = defineKind<VolumeAttributesClass>({
  group: GROUP,
  plural: 'volumeattributesclasses',
  columns: [
    nameColumn,
    column('DriverName', 'Driver that knows the attributes', ({ driverName }) => driverName),
    ageColumn,
  ],
  deprecations: {
    v1beta1:
      'storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; ' +
      'use storage.k8s.io/v1 VolumeAttributesClass',
  },
  returnsDeletedObject: true,
  validate: checkAttributesClass,
  validateUpdate: checkAttributesClassUpdate,
});

function checkAttributesClass({ parameters = {} }: VolumeAttributesClass): FieldError[] {
  return checkParameters(parameters, 'parameters', { mayBeEmpty: false });
}

function checkAttributesClassUpdate(object: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  if (object.driverName !== old.driverName) {
    errors.push(forbiddenField('driverName', 'updates to driverName are forbidden.'));
  }
  if (!deepEqual(object.parameters ?? {}, old.parameters ?? {})) {
    errors.push(forbiddenField('parameters', 'updates to parameters are forbidden.'));
  }
  return errors;
}

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
