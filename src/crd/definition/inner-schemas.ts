import type { Schema } from './definition.ts';

/** The schema of all items of an array; undefined when there is none, or a separate one for each item. */
export function itemSchema({ items }: Schema): Schema | undefined {
  return isSchema(items) ? items : undefined;
}

/** The schemas of single items, which only JSON Schema has. */
export function itemSchemas({ items }: Schema): readonly Schema[] {
  return Array.isArray(items) ? items : [];
}

/** The schema of all values of a map. */
export function valueSchema({ additionalProperties }: Schema): Schema | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members of an object sorted by name; upstream visits them in random order. */
export function sortedEntries<T>(members: Readonly<Record<string, T>> | undefined): readonly (readonly [string, T])[] {
  if (members === undefined || members === null) return [];
  return Object.entries(members).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The schemas directly inside a schema, also those in members that definitions may not have. */
export function innerSchemas(schema: Schema): readonly Schema[] {
  const { allOf = [], anyOf = [], oneOf = [], not, additionalItems, dependencies } = schema;
  const named = (members: Readonly<Record<string, unknown>> | undefined): readonly Schema[] =>
    sortedEntries(members).flatMap(([, value]) => (isSchema(value) ? [value] : []));
  return [
    ...[itemSchema(schema), ...itemSchemas(schema), ...allOf, ...anyOf, ...oneOf, not].filter(isSchema),
    ...named(schema.properties),
    ...[valueSchema(schema)].filter(isSchema),
    ...named(schema.patternProperties),
    ...[additionalItems].filter(isSchema),
    ...named(schema.definitions),
    ...named(dependencies),
  ];
}

/** Whether `holds` is true for a schema or for one inside it; stops at the first. */
export function someSchema(schema: Schema, holds: (schema: Schema) => boolean): boolean {
  return holds(schema) || innerSchemas(schema).some((inner) => someSchema(inner, holds));
}

/** Every schema in a schema, itself first. */
export function visitSchemas(schema: Schema, visit: (schema: Schema) => void): void {
  someSchema(schema, (inner) => {
    visit(inner);
    return false;
  });
}
