import type { Schema } from './definition.ts';
import { isSchema, itemSchema, itemSchemas, sortedEntries, valueSchema } from './inner-schemas.ts';

const UNSUPPORTED: readonly (readonly [name: string, isSet: (schema: Schema) => boolean])[] = [
  ['id', ({ id = '' }) => id !== ''],
  ['schema', ({ $schema = '' }) => $schema !== ''],
  ['$ref', ({ $ref = '' }) => $ref !== ''],
  ['patternProperties', ({ patternProperties }) => hasMembers(patternProperties)],
  ['dependencies', ({ dependencies }) => hasMembers(dependencies)],
  ['additionalItems', ({ additionalItems }) => additionalItems !== undefined],
  ['definitions', ({ definitions }) => hasMembers(definitions)],
];

function hasMembers(members: object | undefined): boolean {
  return members !== undefined && Object.keys(members).length > 0;
}

/** Why a schema cannot even be read as a structural one; undefined when it can. */
export function structuralFormProblem(schema: Schema): string | undefined {
  const unsupported = UNSUPPORTED.find(([, isSet]) => isSet(schema));
  if (unsupported !== undefined) return `OpenAPIV3Schema '${unsupported[0]}' is not supported`;
  const { not, allOf = [], anyOf = [], oneOf = [] } = schema;
  const alternatives = firstProblem([not, ...allOf, ...anyOf, ...oneOf]);
  if (alternatives !== undefined) return alternatives;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (itemSchemas(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const properties = sortedEntries(schema.properties).map(([, inner]) => inner);
  return firstProblem([itemSchema(schema), ...properties, valueSchema(schema)]);
}

function firstProblem(schemas: readonly unknown[]): string | undefined {
  for (const schema of schemas) {
    const problem = isSchema(schema) ? structuralFormProblem(schema) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
