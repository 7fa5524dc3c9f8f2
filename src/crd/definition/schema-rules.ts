import { sentEmpty, type FieldError, forbiddenField, invalidValue, notSupported } from '../../api/index.ts';
import type { Steps } from '../../base/index.ts';
import type { Schema } from './definition.ts';
import { isSchema, itemSchema, itemSchemas, sortedEntries, valueSchema } from './inner-schemas.ts';
import { checkMergeTypes, SCHEMA_TYPES } from './list-type-rules.ts';
import type { Ratchets } from './ratchets.ts';
import { type Cardinality, timesAtMost } from './rule-costs.ts';
import { checkExpressions, type RuleLimits } from './rule-expressions.ts';
import { checkRuleTexts } from './rule-texts.ts';

/** What is known of a place from the schemas around it. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** Why a default is not allowed here; undefined when it is. */
  readonly noDefault: string | undefined;
  readonly isInsideMeta: boolean;
  readonly uncorrelatable: string | undefined;
  /** Max occurrences of values of this place, for the cost of rules; `unchecked`: rules are not checked. */
  readonly count: { readonly most: Cardinality } | 'unchecked';
}

const META_FIELDS = ['metadata', 'kind', 'apiVersion'];

/**
 * Checks a schema and everything in it against the subset of OpenAPI that definitions may use; expressions come last.
 */
export class SchemaRules {
  readonly #errors: FieldError[] = [];
  readonly #expressionErrors: FieldError[] = [];
  readonly #ratchets: Ratchets;
  readonly #limits: RuleLimits;

  constructor(limits: RuleLimits) {
    this.#ratchets = limits.ratchets;
    this.#limits = limits;
  }

  /** `checksExpressions`: the schema is valid enough for rules to have types. */
  *checkRoot(
    schema: Schema,
    path: string,
    options: { readonly checksExpressions: boolean },
  ): Steps<readonly FieldError[]> {
    yield* this.#check(schema, {
      path,
      isRoot: true,
      noDefault: this.#ratchets.allowsDefaults ? undefined : '',
      isInsideMeta: false,
      uncorrelatable: undefined,
      count: options.checksExpressions ? { most: 1n } : 'unchecked',
    });
    return [...this.#errors, ...this.#expressionErrors];
  }

  *#check(schema: Schema, place: Place): Steps<void> {
    yield* this.#limits.work.pause();
    const before = this.#errors.length;
    this.#errors.push(...unsupportedErrors(schema, place, this.#ratchets));
    yield* this.#checkMembers(schema, place);
    yield* this.#checkAlternatives(schema, place);
    yield* this.#checkItems(schema, place);
    const { path } = place;
    for (const [name, inner] of sortedEntries(schema.dependencies))
      if (isSchema(inner)) yield* this.#check(inner, { ...unchecked(place), path: `${path}.dependencies[${name}]` });
    if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
      const at = `${path}.x-kubernetes-preserve-unknown-fields`;
      this.#errors.push(invalidValue(at, false, 'must be true or undefined'));
    }
    this.#errors.push(...checkMergeTypes(schema, path, this.#ratchets));
    if ((schema['x-kubernetes-validations'] ?? []).length === 0) return;
    this.#errors.push(...checkRuleTexts(schema, path, place.count !== 'unchecked'));
    if (this.#errors.length > before || place.count === 'unchecked') return;
    const { isRoot, uncorrelatable, count } = place;
    const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
    const rulePlace = { path, isResource, uncorrelatable, cardinality: count.most };
    this.#expressionErrors.push(...(yield* checkExpressions(schema, rulePlace, this.#limits)));
  }

  *#checkMembers(schema: Schema, place: Place): Steps<void> {
    const { path, isRoot, isInsideMeta } = place;
    const { additionalProperties, properties = {} } = schema;
    const values = valueSchema(schema);
    if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0) {
      const detail = 'additionalProperties and properties are mutual exclusive';
      this.#errors.push(forbiddenField(`${path}.additionalProperties`, detail));
    }
    const below: Place = { ...place, isRoot: false, count: countBelow(schema, place) };
    if (values !== undefined) {
      const noDefault = isInsideMeta ? ' inside additionalProperties applying to object metadata' : place.noDefault;
      yield* this.#check(values, { ...below, path: `${path}.additionalProperties`, noDefault });
    }
    const isCorrelatable = ['granular', 'atomic', undefined].includes(schema['x-kubernetes-map-type']);
    const uncorrelatable = place.uncorrelatable ?? (isCorrelatable ? undefined : path);
    for (const [name, inner] of sortedEntries(properties)) {
      const isMeta = (isRoot || schema['x-kubernetes-embedded-resource'] === true) && META_FIELDS.includes(name);
      yield* this.#check(inner, {
        ...below,
        path: `${path}.properties[${name}]`,
        uncorrelatable,
        isInsideMeta: isInsideMeta || isMeta,
        noDefault: isMeta && isRoot ? ` in top-level ${name}` : place.noDefault,
      });
    }
  }

  *#checkAlternatives({ not, allOf = [], oneOf = [], anyOf = [], definitions }: Schema, place: Place): Steps<void> {
    const inner = (schema: Schema, step: string): Steps<void> =>
      this.#check(schema, { ...unchecked(place), path: `${place.path}.${step}` });
    if (not !== undefined) yield* inner(not, 'not');
    for (const [index, schema] of allOf.entries()) yield* inner(schema, `allOf[${index}]`);
    for (const [index, schema] of oneOf.entries()) yield* inner(schema, `oneOf[${index}]`);
    for (const [index, schema] of anyOf.entries()) yield* inner(schema, `anyOf[${index}]`);
    for (const [name, schema] of sortedEntries(definitions)) yield* inner(schema, `definitions[${name}]`);
  }

  *#checkItems(schema: Schema, place: Place): Steps<void> {
    const isCorrelatable = schema['x-kubernetes-list-type'] === 'map';
    const below: Place = {
      ...place,
      isRoot: false,
      uncorrelatable: place.uncorrelatable ?? (isCorrelatable ? undefined : place.path),
      count: countBelow(schema, place),
    };
    const path = `${place.path}.items`;
    const items = itemSchema(schema);
    if (items !== undefined) yield* this.#check(items, { ...below, path });
    for (const [index, item] of itemSchemas(schema).entries())
      yield* this.#check(item, { ...below, path: `${path}[${index}]` });
  }
}

function unchecked(place: Place): Place {
  return { ...place, isRoot: false, count: 'unchecked' };
}

/** Max occurrences of values inside what a schema describes. */
function countBelow({ type, additionalProperties, maxProperties, maxItems }: Schema, { count }: Place): Place['count'] {
  if (count === 'unchecked' || count.most === undefined) return count;
  const isMap = type === 'object' && additionalProperties !== undefined;
  if (!isMap && type !== 'array') return count;
  const most = isMap ? maxProperties : maxItems;
  return { most: most === undefined ? undefined : timesAtMost(count.most, BigInt(Math.max(0, most))) };
}

/** What OpenAPI or JSON Schema has, but definitions may not use. */
function unsupportedErrors(schema: Schema, place: Place, { requiresKnownTypes }: Ratchets): FieldError[] {
  const { type = '' } = schema;
  const { path, noDefault, isInsideMeta } = place;
  const errors: FieldError[] = [];
  const forbid = (name: string, detail: string): void => void errors.push(forbiddenField(`${path}.${name}`, detail));
  if (requiresKnownTypes && type !== '' && !SCHEMA_TYPES.includes(type))
    errors.push(notSupported(`${path}.type`, type, SCHEMA_TYPES));
  if (schema.default !== undefined && schema.default !== null && noDefault !== undefined)
    forbid('default', `must not be set${noDefault}`);
  if ((schema.id ?? '') !== '') forbid('id', 'id is not supported');
  if (schema.additionalItems !== undefined) forbid('additionalItems', 'additionalItems is not supported');
  if (Object.keys(schema.patternProperties ?? {}).length > 0)
    forbid('patternProperties', 'patternProperties is not supported');
  if (Object.keys(schema.definitions ?? {}).length > 0) forbid('definitions', 'definitions is not supported');
  if (schema.dependencies !== undefined || sentEmpty(schema, 'dependencies') !== null)
    forbid('dependencies', 'dependencies is not supported');
  if (schema.$ref !== undefined) forbid('$ref', '$ref is not supported');
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (itemSchemas(schema).length > 0) forbid('items', 'items must be a schema object and not an array');
  if (isInsideMeta && schema['x-kubernetes-embedded-resource'] === true)
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  if (schema.uniqueItems === true)
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  return errors;
}
