import { duplicate, invalidValue, notSupported, qualifiedNameProblems, required, tooLong } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { TopologySelectorTerm } from '../../api/types/core/v1.d.ts';
import type { StorageClass } from '../../api/types/storage/v1.d.ts';
import { firstIndexes } from '../first-indexes.ts';

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

export function checkStorageClass(storageClass: StorageClass): FieldError[] {
  const { parameters = {}, reclaimPolicy = 'Delete', allowedTopologies = [] } = storageClass;
  const errors = checkParameters(parameters, 'parameters', { mayBeEmpty: true });
  if (reclaimPolicy !== 'Delete' && reclaimPolicy !== 'Retain') {
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']));
  }
  return [...errors, ...allowedTopologies.flatMap((term, index) => checkTopology(term, `allowedTopologies[${index}]`))];
}

function checkTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, field: string): FieldError[] {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key, values }, index) => {
    const at = `${field}.matchLabelExpressions[${index}]`;
    const all = values ?? [];
    const errors = all.length === 0 ? [required(`${at}.values`)] : [];
    const first = firstIndexes(all);
    for (const [place, value] of all.entries()) {
      if (first.get(value) !== place) errors.push(duplicate(`${at}.values[${place}]`, value));
    }
    for (const problem of qualifiedNameProblems(key)) errors.push(invalidValue(`${at}.key`, key, problem));
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
    return errors;
  });
}
