import { duplicate, type FieldError, invalidValue, required, tooMany } from '../../api/index.ts';
import type { SelectableField } from '../../api/types/apiextensions/v1.d.ts';
import type { Schema } from './definition.ts';
import { followFieldPath } from './field-path.ts';
import { structuralFormProblem } from './structural-form.ts';

export const MAX_SELECTABLE_FIELDS = 8;

const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];

interface Options {
  readonly path: string;
  readonly isCrowdedAllowed: boolean;
}

export function checkSelectableFields(
  fields: readonly SelectableField[],
  schema: Schema,
  options: Options,
): FieldError[] {
  const { path, isCrowdedAllowed } = options;
  const isReadable = structuralFormProblem(schema) === undefined;
  const found = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, { jsonPath = '' }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(required(at));
      continue;
    }
    const followed = followFieldPath(jsonPath, isReadable ? schema : {}, { allowsBrackets: false });
    if (!followed.ok) {
      errors.push(invalidValue(at, jsonPath, `is an invalid path: ${followed.problem}`));
      continue;
    }
    if (followed.root === 'metadata') errors.push(invalidValue(at, jsonPath, 'must not point to fields in metadata'));
    if (!SELECTABLE_TYPES.includes(followed.schema?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalidValue(at, jsonPath, detail));
    }
    if (found.has(followed.path)) errors.push(duplicate(at, jsonPath));
    found.add(followed.path);
  }
  if (found.size > MAX_SELECTABLE_FIELDS && !isCrowdedAllowed)
    errors.push(tooMany(path, found.size, MAX_SELECTABLE_FIELDS));
  return errors;
}
