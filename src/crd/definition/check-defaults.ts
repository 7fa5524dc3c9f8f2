import { checkStructuralPlace, type FieldError, invalidValue } from '../../api/index.ts';
import { structuralShape, textChecks } from '../../cel/index.ts';
import type { Schema } from './definition.ts';
import { isSchema, itemSchema, someSchema, sortedEntries, valueSchema } from './inner-schemas.ts';

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
  if (requiresPruned && hasUnknown(schema.default, schema))
    errors.push(invalidValue(at, schema.default, 'must not have unknown fields'));
  for (const error of checkStructuralPlace(schema.default, structuralShape(schema), textChecks)) {
    const isAbove = error.field === '' || error.field === '<nil>';
    errors.push({ ...error, field: isAbove ? at : `${at}.${error.field}` });
  }
  return errors;
}

/** Whether some default of a schema has fields that would be pruned. */
export function hasUnprunedDefaults(schema: Schema): boolean {
  return someSchema(schema, (inner) => hasDefault(inner) && hasUnknown(inner.default, inner));
}

const META_FIELDS = ['apiVersion', 'kind', 'metadata'];

/** Whether a value has fields that its schema does not name and does not preserve. */
function hasUnknown(value: unknown, schema: Schema | undefined): boolean {
  const keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemSchema(schema);
    return value.some((item) => (keeps ? hasUnknownKept(item, items) : hasUnknown(item, items)));
  }
  if (!isSchema(value)) return false;
  if (keeps) return hasUnknownKept(value, schema);
  if (schema === undefined) return Object.keys(value).length > 0;
  return Object.entries(value).some(([name, member]) => {
    const inner = memberSchema(name, schema);
    if (inner === 'meta') return false;
    return inner === 'unknown' ? true : hasUnknown(member, inner);
  });
}

/** The same below a place that preserves what it does not know, where only what is named is looked at. */
function hasUnknownKept(value: unknown, schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if (Array.isArray(value)) return value.some((item) => hasUnknownKept(item, itemSchema(schema)));
  if (!isSchema(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    const inner = memberSchema(name, schema);
    return inner !== 'meta' && inner !== 'unknown' && hasUnknown(member, inner);
  });
}

function memberSchema(name: string, schema: Schema): Schema | undefined | 'meta' | 'unknown' {
  if (schema['x-kubernetes-embedded-resource'] === true && META_FIELDS.includes(name)) return 'meta';
  if (Object.hasOwn(schema.properties ?? {}, name)) return schema.properties?.[name];
  return schema.additionalProperties === undefined ? 'unknown' : valueSchema(schema);
}
