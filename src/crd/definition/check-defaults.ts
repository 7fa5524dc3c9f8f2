import { checkStructural, checkUniqueItems, type FieldError, invalidValue, placeOfShape } from '../../api/index.ts';
import { structuralShape, textChecks } from '../../cel/index.ts';
import type { Schema } from './definition.ts';
import { itemSchema, someSchema, sortedEntries } from './inner-schemas.ts';
import { hasUnknownFields } from './unknown-fields.ts';

interface Options {
  /** A default may not have fields that its schema does not name. */
  readonly requiresPruned: boolean;
}

/** What is wrong with the defaults in a schema. There are none inside maps: nobody knows the keys that would get them. */
export function checkDefaults(schema: Schema, path: string, options: Options): FieldError[] {
  const errors = hasDefault(schema) ? checkDefault(schema, path, options) : [];
  const items = itemSchema(schema);
  if (items !== undefined) errors.push(...checkDefaults(items, `${path}.items`, options));
  for (const [name, inner] of sortedEntries(schema.properties))
    errors.push(...checkDefaults(inner, `${path}.properties[${name}]`, options));
  return errors;
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function checkDefault(schema: Schema, path: string, { requiresPruned }: Options): FieldError[] {
  const at = `${path}.default`;
  const errors: FieldError[] = [];
  if (requiresPruned && hasUnknownFields(schema.default, schema))
    errors.push(invalidValue(at, schema.default, 'must not have unknown fields'));
  const shape = structuralShape(schema);
  const found = checkStructural(schema.default, placeOfShape(shape), { checks: textChecks });
  for (const error of [...found, ...checkUniqueItems(schema.default, shape)]) {
    const isAbove = error.field === '' || error.field === '<nil>';
    errors.push({ ...error, field: isAbove ? at : `${at}.${error.field}` });
  }
  return errors;
}

/** Whether some default of a schema has fields that would be pruned. */
export function hasUnprunedDefaults(schema: Schema): boolean {
  return someSchema(schema, (inner) => hasDefault(inner) && hasUnknownFields(inner.default, inner));
}
