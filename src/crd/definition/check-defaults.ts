import { type FieldError, fieldErrorText, invalidValue, jsonType, typeInvalid } from '../../api/index.ts';
import type { Steps } from '../../base/index.ts';
import { structuralShape } from '../../cel/index.ts';
import { checkDefaultValue } from '../values/check-default-value.ts';
import { checkEmbedded } from '../values/check-embedded.ts';
import { RuleBudget } from '../values/check-rules.ts';
import type { CheckWork } from './check-work.ts';
import type { Schema } from './definition.ts';
import { itemSchema, someSchema, sortedEntries } from './inner-schemas.ts';
import { SCHEMA_TYPES } from './list-type-rules.ts';
import { hasUnknownFields } from './unknown-fields.ts';

interface Options {
  /** Whether defaults must not have fields that their schema does not name. */
  readonly requiresPruned: boolean;
  readonly work: CheckWork;
}

/** All defaults of a schema share one budget for rules. */
type Checking = Options & { readonly budget: RuleBudget };

const META_FIELDS = ['metadata', 'kind', 'apiVersion'];

/** Problems of the defaults in a schema. There are none inside maps: the keys that would get them are unknown. */
export function checkDefaults(root: Schema, path: string, options: Options): Steps<FieldError[]> {
  const whole = { ...root, 'x-kubernetes-embedded-resource': true };
  return checkPart(
    whole,
    { path, object: whole, steps: [], isInsideMeta: false },
    { ...options, budget: new RuleBudget() },
  );
}

function* checkPart(schema: Schema, around: DefaultPlace, options: Checking): Steps<FieldError[]> {
  yield* options.work.pause();
  const isObject = schema['x-kubernetes-embedded-resource'] === true;
  const place = isObject ? { path: around.path, object: schema, steps: [], isInsideMeta: false } : around;
  const { path, steps, isInsideMeta } = place;
  const errors = hasDefault(schema) ? checkDefault(schema, place, options) : [];
  const items = itemSchema(schema);
  if (items !== undefined)
    errors.push(
      ...(yield* checkPart(items, { ...place, path: `${path}.items`, steps: [...steps, { type: 'item' }] }, options)),
    );
  for (const [name, inner] of sortedEntries(schema.properties)) {
    const below: DefaultPlace = {
      ...place,
      path: `${path}.properties[${name}]`,
      steps: [...steps, { type: 'field', name }],
      isInsideMeta: isInsideMeta || (isObject && META_FIELDS.includes(name)),
    };
    errors.push(...(yield* checkPart(inner, below, options)));
  }
  return errors;
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function checkDefault(schema: Schema, place: DefaultPlace, { requiresPruned, work, budget }: Checking): FieldError[] {
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
  const unknown = unknownTypeError(value, schema, at);
  if (unknown !== undefined) return [...errors, unknown];
  return [...errors, ...checkDefaultValue(value, structuralShape(schema), { path: at, budget })];
}

/** No value is of a type that there is not. */
function unknownTypeError(value: unknown, { type = '' }: Schema, path: string): FieldError | undefined {
  if (type === '' || SCHEMA_TYPES.includes(type)) return undefined;
  const found = jsonType(value);
  return typeInvalid(path, found, ` in body must be of type ${type}: ${JSON.stringify(found)}`);
}

/** Whether some default of a schema has fields that would be pruned. */
export function hasUnprunedDefaults(schema: Schema): boolean {
  return someSchema(schema, (inner) => hasDefault(inner) && hasUnknownFields(inner.default, inner));
}

/** Where a default is: the innermost whole object around it, and the path from there. */
interface DefaultPlace {
  readonly path: string;
  readonly object: Schema;
  readonly steps: readonly ({ readonly type: 'item' } | { readonly type: 'field'; readonly name: string })[];
  /** Inside the metadata, kind or apiVersion of that object. */
  readonly isInsideMeta: boolean;
}

/** The problem with an object that consists only of a default for its metadata, kind or apiVersion. */
function surroundingProblem(value: unknown, { object, steps }: DefaultPlace): string | undefined {
  const around = steps.reduceRight<unknown>(
    (inner, step) => (step.type === 'item' ? [inner] : { [step.name]: inner }),
    value,
  );
  const whole = { apiVersion: 'validation/v1', kind: 'Validation', ...(around as object) };
  const texts = checkEmbedded(whole, structuralShape(object))
    .map(fieldErrorText)
    .map((text) => text.replace(/^\./, ''));
  return texts.length < 2 ? texts[0] : `[${texts.join(', ')}]`;
}
