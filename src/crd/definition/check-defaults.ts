import { checkStructural, type FieldError, invalidValue, placeOfShape, type Shape } from '../../api/index.ts';
import { structuralShape, textChecks } from '../../cel/index.ts';
import { checkEmbedded } from '../values/check-embedded.ts';
import { checkRules } from '../values/check-rules.ts';
import { ruleTreeOfPlace } from '../values/rule-tree.ts';
import type { CheckWork } from './check-work.ts';
import { type DefaultPlace, surroundingProblem } from './default-place.ts';
import type { Schema } from './definition.ts';
import { itemSchema, someSchema, sortedEntries } from './inner-schemas.ts';
import { hasUnknownFields } from './unknown-fields.ts';

interface Options {
  /** A default may not have fields that its schema does not name. */
  readonly requiresPruned: boolean;
  readonly work: CheckWork;
}

const META_FIELDS = ['metadata', 'kind', 'apiVersion'];

/** What is wrong with the defaults in a schema. There are none inside maps: nobody knows the keys that would get them. */
export function checkDefaults(root: Schema, path: string, options: Options): FieldError[] {
  const whole = { ...root, 'x-kubernetes-embedded-resource': true };
  return checkPart(whole, { path, object: whole, steps: [], isInsideMeta: false }, options);
}

function checkPart(schema: Schema, around: DefaultPlace, options: Options): FieldError[] {
  const isObject = schema['x-kubernetes-embedded-resource'] === true;
  const place = isObject ? { path: around.path, object: schema, steps: [], isInsideMeta: false } : around;
  const { path, steps, isInsideMeta } = place;
  const errors = hasDefault(schema) ? checkDefault(schema, place, options) : [];
  const items = itemSchema(schema);
  if (items !== undefined)
    errors.push(...checkPart(items, { ...place, path: `${path}.items`, steps: [...steps, { type: 'item' }] }, options));
  for (const [name, inner] of sortedEntries(schema.properties)) {
    const below: DefaultPlace = {
      ...place,
      path: `${path}.properties[${name}]`,
      steps: [...steps, { type: 'field', name }],
      isInsideMeta: isInsideMeta || (isObject && META_FIELDS.includes(name)),
    };
    errors.push(...checkPart(inner, below, options));
  }
  return errors;
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function checkDefault(schema: Schema, place: DefaultPlace, { requiresPruned, work }: Options): FieldError[] {
  work.judgeDefault(schema);
  const at = `${place.path}.default`;
  const value = schema.default;
  const errors: FieldError[] = [];
  if (place.isInsideMeta) {
    const problem = surroundingProblem(value, place);
    if (problem !== undefined) return [invalidValue(at, value, `must result in valid metadata: ${problem}`)];
  } else if (requiresPruned && hasUnknownFields(value, schema)) {
    errors.push(invalidValue(at, value, 'must not have unknown fields'));
  }
  return [...errors, ...firstFindings(value, structuralShape(schema), place)];
}

/** What the first check that finds something finds: objects inside, values, rules. */
function firstFindings(value: unknown, shape: Shape, { path, isInsideMeta }: DefaultPlace): readonly FieldError[] {
  const at = `${path}.default`;
  const embedded = isInsideMeta ? [] : checkEmbedded(value, shape, at);
  const unreadable = embedded.find(({ detail }) => detail === 'must be a string');
  if (embedded.length > 0) return unreadable === undefined ? embedded : [unreadable];
  const values = checkStructural(value, placeOfShape(withoutIntOrString(shape)), { checks: textChecks });
  if (values.length > 0) return values.map((error) => ({ ...error, field: fieldBelow(at, error.field, '.') }));
  const rules = ruleTreeOfPlace(shape);
  if (rules === undefined) return [];
  const unchanged = checkRules(value, rules, { old: value });
  const broken = unchanged.length > 0 ? unchanged : checkRules(value, rules, {});
  return broken.map((error) => ({ ...error, field: fieldBelow(at, error.field, '') }));
}

/** A field of a default; `beforeIndex`: what stands before an index, which is a dot where upstream joins texts. */
function fieldBelow(at: string, field: string, beforeIndex: string): string {
  if (field === '' || field === '<nil>') return at;
  return `${at}${field.startsWith('[') ? beforeIndex : '.'}${field}`;
}

/** Upstream does not look at the type of a default that may be an integer or a text. */
function withoutIntOrString(shape: Shape): Shape {
  return shape.kind === 'scalar' && shape.scalar === 'IntOrString' ? { ...shape, scalar: 'JSON' } : shape;
}

/** Whether some default of a schema has fields that would be pruned. */
export function hasUnprunedDefaults(schema: Schema): boolean {
  return someSchema(schema, (inner) => hasDefault(inner) && hasUnknownFields(inner.default, inner));
}
