import { type FieldError, invalidValue } from '../../api/index.ts';

/** A path must stay below its base. */
export function checkDescendingPath(path: string, field: string): FieldError[] {
  const errors = path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : [];
  return [...errors, ...checkNoBacksteps(path, field)];
}

export function checkNoBacksteps(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
}

/** A descending path whose first part does not look like one of the volume's internal files. */
export function checkLocalPath(path: string, field: string): FieldError[] {
  const errors = checkDescendingPath(path, field);
  if (path.startsWith('..') && path !== '..' && !path.startsWith('../')) {
    errors.push(invalidValue(field, path, "must not start with '..'"));
  }
  return errors;
}
