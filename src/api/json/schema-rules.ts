import { unreachable } from '../../base/index.ts';
import type { ScalarName } from '../schema/schema.ts';
import { isPlainObject } from './plain-object.ts';
import type { Convert, ScalarRule } from './scalar-rules.ts';
import { MISMATCH, type Walk } from './walk.ts';

export type SchemaScalar = Extract<ScalarName, `JSONSchemaPropsOr${string}`>;

/** The scalars that hold a JSON schema or something simpler. `schema` converts the schema, which is their enclosing struct. */
export function schemaRule(scalar: SchemaScalar, schema: Convert): ScalarRule {
  switch (scalar) {
    case 'JSONSchemaPropsOrBool':
      return { convert: (value, walk) => schemaOrBool(value, walk, schema), zero: false, isOmitted: false };
    case 'JSONSchemaPropsOrArray':
      return { convert: (value, walk) => schemaOrList(value, walk, schema), zero: null, isOmitted: false };
    case 'JSONSchemaPropsOrStringArray':
      return { convert: (value, walk) => schemaOrStrings(value, walk, schema), zero: null, isOmitted: false };
    default:
      return unreachable(scalar);
  }
}

export function isSchemaScalar(scalar: ScalarName): scalar is SchemaScalar {
  return scalar.startsWith('JSONSchemaPropsOr');
}

function schemaOrBool(value: unknown, walk: Walk, schema: Convert): unknown {
  return typeof value === 'boolean' ? value : schema(value, walk);
}

/** Go treats a value that is neither a schema nor a list as unset, and prints null. */
function schemaOrList(value: unknown, walk: Walk, schema: Convert): unknown {
  if (!Array.isArray(value)) return isPlainObject(value) ? schema(value, walk) : null;
  return value.length === 0 ? null : value.map((item: unknown) => schema(item ?? {}, walk));
}

function schemaOrStrings(value: unknown, walk: Walk, schema: Convert): unknown {
  if (!Array.isArray(value)) return isPlainObject(value) ? schema(value, walk) : null;
  return value.length === 0 ? null : value.map(stringOrEmpty);
}

function stringOrEmpty(value: unknown): string {
  if (value === null) return '';
  if (typeof value !== 'string') throw MISMATCH;
  return value;
}
