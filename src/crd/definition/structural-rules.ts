import { compareUtf8 } from '../../base/index.ts';
import { type FieldError, fieldErrorText, forbiddenField, invalidValue, required } from '../../api/index.ts';
import type { CheckWork } from './check-work.ts';
import { completenessErrors } from './completeness.ts';
import type { Schema } from './definition.ts';
import { itemSchema, sortedEntries, valueSchema } from './inner-schemas.ts';

type Level = 'root' | 'item' | 'field';

/** Why a schema is not structural, sorted by text as upstream sorts it. */
export function structuralErrors(schema: Schema, path: string, work: CheckWork): readonly FieldError[] {
  const rules = new StructuralRules(work);
  rules.check(schema, 'root', path);
  const errors = [...rules.errors, ...completenessErrors(schema, path)];
  const texts = new Map(errors.map((error) => [error, fieldErrorText(error)]));
  return errors.sort((left, right) => compareUtf8(texts.get(left) ?? '', texts.get(right) ?? ''));
}

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Findings about each node of a schema: that it has a type, and that alternatives only restrict values. */
class StructuralRules {
  readonly errors: FieldError[] = [];
  readonly #work: CheckWork;

  constructor(work: CheckWork) {
    this.#work = work;
  }

  check(schema: Schema, level: Level, path: string): void {
    const items = itemSchema(schema);
    if (schema.type === 'array' && items === undefined) this.#add(required(`${path}.items`, 'must be specified'));
    if (items !== undefined) this.check(items, 'item', `${path}.items`);
    for (const [name, inner] of sortedEntries(schema.properties))
      this.check(inner, 'field', `${path}.properties[${name}]`);
    const values = valueSchema(schema);
    if (schema.additionalProperties !== undefined && level === 'root')
      this.#add(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'));
    if (values !== undefined) this.check(values, 'field', `${path}.additionalProperties`);
    this.#checkExtensions(schema, path);
    this.#checkAlternatives(schema, path, intOrStringForm(schema));
    this.#checkType(schema, level, path);
    this.#checkMeta(schema, level, path);
  }

  #add(error: FieldError): void {
    this.errors.push(error);
  }

  #checkExtensions(schema: Schema, path: string): void {
    if (schema['x-kubernetes-int-or-string'] !== true) return;
    for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
      if (schema[name] !== true) continue;
      this.#add(invalidValue(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
    }
  }

  #checkType(schema: Schema, level: Level, path: string): void {
    const { type = '' } = schema;
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
    const at = `${path}.type`;
    if (isEmbedded && type !== 'object') {
      const detail = 'must be object if x-kubernetes-embedded-resource is true';
      this.#add(type === '' ? required(at, detail) : invalidValue(at, type, detail));
    } else if (
      type === '' &&
      schema['x-kubernetes-int-or-string'] !== true &&
      schema['x-kubernetes-preserve-unknown-fields'] !== true
    ) {
      this.#add(required(at, EMPTY_TYPE[level]));
    }
    if (isEmbedded && schema.additionalProperties !== undefined) {
      const detail = 'must not be used if x-kubernetes-embedded-resource is set';
      this.#add(forbiddenField(`${path}.additionalProperties`, detail));
    }
    if (level === 'root' && type !== '' && type !== 'object')
      this.#add(invalidValue(at, type, 'must be object at the root'));
  }

  /** What a schema specifies for apiVersion, kind and metadata, which every object has regardless of its schema. */
  #checkMeta(schema: Schema, level: Level, path: string): void {
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
    const isObject = level === 'root' || isEmbedded;
    const { properties = {} } = schema;
    for (const name of ['kind', 'apiVersion'].filter((one) => isObject && Object.hasOwn(properties, one))) {
      const { type = '' } = properties[name] ?? {};
      if (type !== 'string') this.#add(invalidValue(`${path}.properties[${name}].type`, type, 'must be string'));
    }
    if (Object.hasOwn(properties, 'metadata') && properties['metadata'] !== undefined) {
      const { type = '' } = properties['metadata'];
      const at = `${path}.properties[metadata]`;
      if (isObject && type !== 'object') this.#add(invalidValue(`${at}.type`, type, 'must be object'));
      if (level === 'root' && saysMoreThanNames(properties['metadata'])) {
        const detail =
          'must not specify anything other than name and generateName, but metadata is implicitly specified';
        this.#add(forbiddenField(at, detail));
      }
    }
    const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (isEmbedded && !keepsAll && Object.keys(properties).length === 0) {
      const detail =
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
      this.#add(required(`${path}.properties`, detail));
    }
  }

  #checkAlternatives(schema: Schema, path: string, form: IntOrStringForm | undefined): void {
    const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema;
    if (form !== 'anyOf')
      for (const [index, inner] of anyOf.entries()) this.#checkNested(inner, `${path}.anyOf[${index}]`);
    for (const [index, inner] of allOf.entries())
      this.#checkNested(inner, `${path}.allOf[${index}]`, form === 'allOf' && index === 0 ? 'anyOf' : undefined);
    for (const [index, inner] of oneOf.entries()) this.#checkNested(inner, `${path}.oneOf[${index}]`);
    if (not !== undefined) this.#checkNested(not, `${path}.not`);
    if (pattern !== '') this.#checkPattern(pattern, `${path}.pattern`);
  }

  #checkPattern(pattern: string, path: string): void {
    const problem = this.#work.patternProblem(pattern);
    if (problem !== undefined)
      this.#add(invalidValue(path, pattern, `must be a valid regular expression, but isn't: ${problem}`));
  }

  #checkNested(schema: Schema, path: string, form?: IntOrStringForm): void {
    this.#checkAlternatives(schema, path, form);
    const items = itemSchema(schema);
    if (items !== undefined) this.#checkNested(items, `${path}.items`);
    for (const [name, inner] of sortedEntries(schema.properties))
      this.#checkNested(inner, `${path}.properties[${name}]`);
    for (const [name, isSet, detail] of NOT_NESTED) {
      if (isSet(schema)) this.#add(forbiddenField(`${path}.${name}`, `${detail} to be structural`));
    }
    if (Object.hasOwn(schema.properties ?? {}, 'metadata'))
      this.#add(forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
}

/** What must not stand inside `allOf`, `anyOf`, `oneOf` and `not`. */
const NOT_NESTED: readonly (readonly [name: string, isSet: (schema: Schema) => boolean, detail: string])[] = [
  ['type', ({ type = '' }) => type !== '', 'must be empty'],
  [
    'additionalProperties',
    ({ additionalProperties: values }) => values !== undefined && values !== false,
    'must be undefined',
  ],
  ['default', (schema) => schema.default !== undefined && schema.default !== null, 'must be undefined'],
  ['title', ({ title = '' }) => title !== '', 'must be empty'],
  ['description', ({ description = '' }) => description !== '', 'must be empty'],
  ['nullable', ({ nullable }) => nullable === true, 'must be false'],
  ...(
    ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'] as const
  ).map((name) => [name, (schema: Schema) => schema[name] === true, 'must be false'] as const),
  ['x-kubernetes-list-map-keys', (schema) => (schema['x-kubernetes-list-map-keys'] ?? []).length > 0, 'must be empty'],
  ['x-kubernetes-list-type', (schema) => schema['x-kubernetes-list-type'] !== undefined, 'must be undefined'],
  ['x-kubernetes-map-type', (schema) => schema['x-kubernetes-map-type'] !== undefined, 'must be undefined'],
  ['x-kubernetes-validations', (schema) => (schema['x-kubernetes-validations'] ?? []).length > 0, 'must be empty'],
];

/** Where the two types of an int-or-string appear, the only types that alternatives may name. */
type IntOrStringForm = 'anyOf' | 'allOf';

function intOrStringForm({ anyOf, allOf }: Schema): IntOrStringForm | undefined {
  if (isIntOrString(anyOf)) return 'anyOf';
  return isIntOrString(allOf?.[0]?.anyOf) ? 'allOf' : undefined;
}

function isIntOrString(anyOf: readonly Schema[] | undefined): boolean {
  const [first, second] = anyOf ?? [];
  const isOnly = (schema: Schema | undefined, type: string): boolean =>
    schema?.type === type && Object.keys(schema).length === 1;
  return anyOf?.length === 2 && isOnly(first, 'integer') && isOnly(second, 'string');
}

function saysMoreThanNames({ type: _type, default: _default, properties = {}, ...others }: Schema): boolean {
  return (
    Object.keys(others).length > 0 || Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName')
  );
}
