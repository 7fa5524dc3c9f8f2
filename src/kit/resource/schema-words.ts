import type { JSONSchemaProps } from '../../api/types/apiextensions/v1.d.ts';
import type { SchemaProblem } from './schema-problem.ts';

/** JSON Schema as libraries emit it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema as definitions require it: one type at each place, and no references. */
export type Structural = JSONSchemaProps;

/** Reports something that cannot be expressed. */
export type Refuse = (problem: SchemaProblem) => void;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keywords that narrow values without changing their type: all that `anyOf` and its like may contain. */
const VALUE_WORDS = [
  'enum',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
] as const satisfies readonly (keyof Structural)[];

/** The rules of a schema beyond the type, as allowed inside `anyOf`, `allOf` and `not`. */
export function valueRules(schema: Structural): Structural {
  const rules: Record<string, unknown> = {};
  for (const word of VALUE_WORDS) if (schema[word] !== undefined) rules[word] = schema[word];
  const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, valueRules(inner)] as const);
  const narrowed = fields.filter(([, inner]) => Object.keys(inner).length > 0);
  if (narrowed.length > 0) rules['properties'] = Object.fromEntries(narrowed);
  if (isSchema(schema.items)) {
    const items = valueRules(schema.items as Structural);
    if (Object.keys(items).length > 0) rules['items'] = items;
  }
  return rules as Structural;
}

/** True if the schema contains a default anywhere. */
export function hasDefault(schema: Structural): boolean {
  if (schema.default !== undefined) return true;
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return inner.some((part) => isSchema(part) && hasDefault(part as Structural));
}
