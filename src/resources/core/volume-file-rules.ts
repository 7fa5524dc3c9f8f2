import { type FieldError, invalidValue, required } from '../../api/index.ts';
import type { DownwardAPIVolumeFile, KeyToPath } from '../../api/types/core/v1.d.ts';
import { checkFieldRef, checkResourceFieldRef, FIELDS_OF_FILES } from './downward-rules.ts';
import { checkLocalPath } from './path-rules.ts';

const MAX_MODE = 0o777;
const MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

export function checkMode(mode: number | undefined, field: string): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > MAX_MODE) ? [invalidValue(field, mode, MODE)] : [];
}

export function checkFiles(
  { defaultMode, items = [] }: { readonly defaultMode?: number; readonly items?: readonly KeyToPath[] },
  field: string,
): FieldError[] {
  return [...checkMode(defaultMode, `${field}.defaultMode`), ...checkItems(items, `${field}.items`)];
}

/** `first` is the index of the first item in its list. */
export function checkItems(items: readonly KeyToPath[], field: string, first = 0): FieldError[] {
  return items.flatMap(({ path = '', mode, key = '' }, offset) => {
    const index = first + offset;
    return [
      ...(key === '' ? [required(`${field}[${index}].key`)] : []),
      ...(path === '' ? [required(`${field}[${index}].path`)] : []),
      ...checkLocalPath(path, `${field}[${index}].path`),
      ...checkMode(mode, `${field}[${index}].mode`),
    ];
  });
}

/** Upstream reports the files of such a volume as if there were only one. */
export function checkDownwardFile(file: DownwardAPIVolumeFile, field: string): FieldError[] {
  const { path = '', fieldRef, resourceFieldRef, mode } = file;
  const errors = [...(path === '' ? [required(`${field}.path`)] : []), ...checkLocalPath(path, `${field}.path`)];
  if (fieldRef !== undefined) {
    errors.push(...checkFieldRef(fieldRef, `${field}.fieldRef`, FIELDS_OF_FILES));
    if (resourceFieldRef !== undefined) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalidValue(field, 'resource', detail));
    }
  } else if (resourceFieldRef !== undefined) {
    errors.push(...checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { namesContainer: true }));
  } else {
    errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...checkMode(mode, `${field}.mode`)];
}
