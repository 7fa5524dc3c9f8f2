import { invalidValue, notSupported, required, tooLong } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { StorageClass } from '../../api/types/storage/v1.d.ts';

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

/** Parameters for a storage driver: not too many, not too long. */
export function checkParameters(
  parameters: Readonly<Record<string, string>>,
  field: string,
  options: { readonly mayBeEmpty: boolean },
): FieldError[] {
  const names = Object.keys(parameters);
  if (names.length > MAX_PARAMETERS) return [tooLong(field, MAX_PARAMETERS)];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const name of names) {
    if (name === '') errors.push(invalidValue(field, name, 'field can not be empty.'));
    bytes += Buffer.byteLength(name) + Buffer.byteLength(parameters[name] ?? '');
  }
  if (bytes > MAX_PARAMETER_BYTES) errors.push(tooLong(field, MAX_PARAMETER_BYTES));
  if (!options.mayBeEmpty && names.length === 0) {
    errors.push(required(field, 'must contain at least one key/value pair'));
  }
  return errors;
}

export function checkStorageClass({ parameters = {}, reclaimPolicy }: StorageClass): FieldError[] {
  const errors = checkParameters(parameters, 'parameters', { mayBeEmpty: true });
  if (reclaimPolicy === 'Recycle') errors.push(notSupported('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']));
  return errors;
}
