import { type FieldError, invalidValue } from '../../api/index.ts';
import { structuralShape } from '../../cel/index.ts';
import { checkDefaultValue } from '../values/check-default-value.ts';
import { RuleBudget } from '../values/check-rules.ts';
import type { CheckWork } from './check-work.ts';
import type { Schema } from './definition.ts';
import { itemSchema, someSchema, sortedEntries } from './inner-schemas.ts';
import { hasUnknownFields } from './unknown-fields.ts';

interface Options {
  /** A default may not have fields that its schema does not name. */
  readonly requiresPruned: boolean;
  /** What the rules about all defaults together may cost. */
  readonly budget?: RuleBudget;
  readonly work: CheckWork;
}

/** What is wrong with the defaults in a schema. There are none inside maps: nobody knows the keys that would get them. */
export function checkDefaults(schema: Schema, path: string, given: Options): FieldError[] {
  const isRoot = given.budget === undefined;
  const options = { ...given, budget: given.budget ?? new RuleBudget() };
  const judged = isRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  const errors = hasDefault(schema) ? checkDefault(judged, path, options) : [];
  const items = itemSchema(schema);
  if (items !== undefined) errors.push(...checkDefaults(items, `${path}.items`, options));
  for (const [name, inner] of sortedEntries(schema.properties))
    errors.push(...checkDefaults(inner, `${path}.properties[${name}]`, options));
  return errors;
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function checkDefault(schema: Schema, path: string, { requiresPruned, budget, work }: Required<Options>): FieldError[] {
  work.judgeDefault(schema);
  const at = `${path}.default`;
  const errors: FieldError[] = [];
  if (requiresPruned && hasUnknownFields(schema.default, schema))
    errors.push(invalidValue(at, schema.default, 'must not have unknown fields'));
  errors.push(...checkDefaultValue(schema.default, structuralShape(schema), { path: at, budget }));
  return errors;
}

/** Whether some default of a schema has fields that would be pruned. */
export function hasUnprunedDefaults(schema: Schema): boolean {
  return someSchema(schema, (inner) => hasDefault(inner) && hasUnknownFields(inner.default, inner));
}
