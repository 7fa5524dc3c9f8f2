import type { ScalarName } from '../schema/schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** How a scalar is documented: inline, or as a named type. */
export type ScalarSchema =
  | { readonly kind: 'inline'; readonly schema: JsonSchema; readonly zero: string | number | boolean | undefined }
  | { readonly kind: 'named'; readonly name: string; readonly v3: JsonSchema; readonly v2: JsonSchema };

export function scalarSchema(scalar: ScalarName): ScalarSchema {
  return scalars[scalar];
}

/** The schema of a special scalar by its OpenAPI name. */
export function namedScalar(name: string): Extract<ScalarSchema, { kind: 'named' }> | undefined {
  return byName.get(name);
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const quantity =
  'An exact amount, such as `500m`, `1.5` or `128Mi`. The suffix is decimal (n, u, m, none, k, M, G, T, P, E), binary (Ki, Mi, ' +
  'Gi, Ti, Pi, Ei) or an exponent (e3). Amounts are stored in a canonical form: no fraction, the largest suffix that fits, ' +
  'at most three decimals of precision and nothing beyond 2^63-1.';
const intOrString = 'A whole number or a string, such as a port number or a port name, a count or a percentage.';
const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const scalars: Readonly<Record<ScalarName, ScalarSchema>> = {
  string: inline({ type: 'string' }, ''),
  bool: inline({ type: 'boolean' }, false),
  int32: inline({ type: 'integer', format: 'int32' }, 0),
  int64: inline({ type: 'integer', format: 'int64' }, 0),
  double: inline({ type: 'number', format: 'double' }, 0),
  bytes: inline({ type: 'string', format: 'byte' }, undefined),
  Time: named(`${meta}.Time`, {
    description: 'A point in time with a precision of seconds, written as RFC 3339.',
    type: 'string',
    format: 'date-time',
  }),
  MicroTime: named(`${meta}.MicroTime`, {
    description: 'A point in time with a precision of microseconds, written as RFC 3339.',
    type: 'string',
    format: 'date-time',
  }),
  Duration: named(`${meta}.Duration`, {
    description: 'A span of time such as `1h30m` or `250ms`.',
    type: 'string',
  }),
  Quantity: named(
    'io.k8s.apimachinery.pkg.api.resource.Quantity',
    { description: quantity, oneOf: [{ type: 'string' }, { type: 'number' }] },
    { description: quantity, type: 'string' },
  ),
  IntOrString: named(
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    { description: intOrString, format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    { description: intOrString, type: 'string', format: 'int-or-string' },
  ),
  RawExtension: named('io.k8s.apimachinery.pkg.runtime.RawExtension', {
    description: 'An object of any kind, kept as it was written.',
    type: 'object',
  }),
  FieldsV1: named(`${meta}.FieldsV1`, {
    description:
      'A set of fields as a tree: `f:<name>` is a field, `k:<keys>` a list item by its keys, `v:<value>` an item of a set, ' +
      '`i:<index>` an item by position, and `.` the node itself.',
    type: 'object',
  }),
  JSON: named(`${apiextensions}.JSON`, {
    description: 'Any JSON value: an object, a list, a string, a number, a boolean or null.',
  }),
  JSONSchemaPropsOrArray: named(`${apiextensions}.JSONSchemaPropsOrArray`, {
    description: 'One schema, or a list of schemas.',
  }),
  JSONSchemaPropsOrBool: named(`${apiextensions}.JSONSchemaPropsOrBool`, {
    description: 'A schema, or true or false to allow or forbid anything.',
  }),
  JSONSchemaPropsOrStringArray: named(`${apiextensions}.JSONSchemaPropsOrStringArray`, {
    description: 'A schema, or a list of property names.',
  }),
};

const byName = new Map(
  Object.values(scalars).flatMap((schema) => (schema.kind === 'named' ? [[schema.name, schema] as const] : [])),
);

function inline(schema: JsonSchema, zero: string | number | boolean | undefined): ScalarSchema {
  return { kind: 'inline', schema, zero };
}

function named(name: string, v3: JsonSchema, v2: JsonSchema = v3): ScalarSchema {
  return { kind: 'named', name, v3, v2 };
}
