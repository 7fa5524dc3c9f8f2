import type { Schema } from './definition.ts';
import { isSchema as isObject, itemSchema, valueSchema } from './inner-schemas.ts';

/** Whether a value has fields that would be pruned: its schema does not name them and does not preserve them. */
export function hasUnknownFields(value: unknown, schema: Schema | undefined): boolean {
  if (schema?.['x-kubernetes-preserve-unknown-fields'] === true) return hasUnknownBelow(value, schema);
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemSchema(schema);
    return value.some((item) => hasUnknownFields(item, items));
  }
  if (!isObject(value)) return false;
  if (schema === undefined) return Object.keys(value).length > 0;
  return Object.entries(value).some(([name, member]) => {
    const inner = memberSchema(name, schema);
    return inner === 'unknown' || (inner !== 'meta' && hasUnknownFields(member, inner));
  });
}

/** The same below a place that preserves unknown fields: only the named ones are checked. */
function hasUnknownBelow(value: unknown, schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if (Array.isArray(value)) return value.some((item) => hasUnknownBelow(item, itemSchema(schema)));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    const inner = memberSchema(name, schema);
    return inner !== 'unknown' && inner !== 'meta' && hasUnknownFields(member, inner);
  });
}

const META_FIELDS = ['apiVersion', 'kind', 'metadata'];

function memberSchema(name: string, schema: Schema): Schema | undefined | 'meta' | 'unknown' {
  if (schema['x-kubernetes-embedded-resource'] === true && META_FIELDS.includes(name)) return 'meta';
  if (Object.hasOwn(schema.properties ?? {}, name)) return schema.properties?.[name];
  return schema.additionalProperties === undefined ? 'unknown' : valueSchema(schema);
}
