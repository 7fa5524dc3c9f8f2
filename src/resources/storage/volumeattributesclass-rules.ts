import { forbiddenField } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { VolumeAttributesClass } from '../../api/types/storage/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { checkParameters } from './storageclass-rules.ts';

export function checkAttributesClass({ parameters = {} }: VolumeAttributesClass): FieldError[] {
  return checkParameters(parameters, 'parameters', { mayBeEmpty: false });
}

export function checkAttributesClassUpdate(object: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  if (object.driverName !== old.driverName) {
    errors.push(forbiddenField('driverName', 'updates to driverName are forbidden.'));
  }
  if (!deepEqual(object.parameters ?? {}, old.parameters ?? {})) {
    errors.push(forbiddenField('parameters', 'updates to parameters are forbidden.'));
  }
  return errors;
}
