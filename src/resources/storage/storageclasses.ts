import { type FieldError, forbiddenField } from '../../api/index.ts';
import type { StorageClass, VolumeAttributesClass } from '../../api/types/storage/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { storageClassColumns, volumeAttributesClassColumns } from '../columns/storage-columns.ts';
import { defineKind } from '../kind.ts';
import { checkParameters, checkStorageClass } from './storageclass-rules.ts';

const GROUP = 'storage.k8s.io';

/** Classes of storage, and of what can be changed about a volume later. */
export const storageClasses = defineKind<StorageClass>({
  group: GROUP,
  plural: 'storageclasses',
  columns: storageClassColumns,
  returnsDeletedObject: true,
  judges: ['allowedTopologies.matchLabelExpressions.key'],
  validate: checkStorageClass,
  validateUpdate: () => [], // what may not change is marked in the type
});

export const volumeAttributesClasses = defineKind<VolumeAttributesClass>({
  group: GROUP,
  plural: 'volumeattributesclasses',
  columns: volumeAttributesClassColumns,
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
