import { type FieldError, invalidValue } from '../../api/index.ts';
import type { Definition } from './definition.ts';

/** Versions in which objects are stored must stay until no object is stored in them. */
export function checkStoredVersions({ spec, status }: Definition): FieldError[] {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0)
    return [invalidValue(path, status?.storedVersions ?? null, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  const missing = new Map(stored.map((name, index) => [name, index]));
  for (const { name, storage } of spec.versions ?? []) {
    const isStored = missing.delete(name);
    if (storage && !isStored) errors.push(invalidValue(path, stored, `must have the storage version ${name}`));
  }
  for (const [name, index] of missing) {
    const detail =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
      `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${path}[${index}]`, name, detail));
  }
  return errors;
}
