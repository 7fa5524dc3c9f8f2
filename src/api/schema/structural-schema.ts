import { isPlainObject } from '../json/plain-object.ts';
import type { JSONSchemaProps } from '../types/apiextensions/v1.d.ts';
import type { Constraints, NestedRules, ValueRules } from './constraints.ts';
import type { Field, GroupVersionKind, ListShape, MapType, ScalarName, Shape, Struct, StructShape } from './schema.ts';

/** A structural schema as in CustomResourceDefinitions: OpenAPI v3 keywords with `x-kubernetes-…` extensions. */
export type StructuralSchema = JSONSchemaProps;

export interface StructuralOptions {
  /** The schema describes a whole object, with apiVersion, kind and metadata, even if it does not mention them. */
  readonly isResource?: boolean;
  /** The type of metadata, made on first use. Without it, only the names in it are known. */
  readonly metadata?: () => Struct;
}

/**
 * The place that a structural schema describes.
 *
 * The schema must be structural, as upstream's validation of CustomResourceDefinitions requires. Cheap to make: each object
 * of the schema is compiled when its fields are first used.
 */
export function structuralShape(schema: StructuralSchema, options: StructuralOptions = {}): Shape {
  const constraints = constraintsOf(schema);
  const inner = { metadata: options.metadata };
  const itemSchema = singleSchema(schema.items);
  if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'scalar', scalar: 'IntOrString', constraints };
  switch (schema.type) {
    case 'object':
      return objectShape(schema, constraints, options);
    case 'array':
      return {
        kind: 'list',
        element: itemSchema === undefined ? ANYTHING : structuralShape(itemSchema, inner),
        listType: schema['x-kubernetes-list-type'] as ListShape['listType'],
        keys: schema['x-kubernetes-list-map-keys'],
        isWrapped: false,
        constraints,
      };
    default:
      return { kind: 'scalar', scalar: scalarOf(schema), constraints };
  }
}

/** The schema of all items; undefined for a list of schemas, and for anything else that clients send in its place. */
function singleSchema(items: unknown): StructuralSchema | undefined {
  return isPlainObject(items) ? items : undefined;
}

/** A place without a schema. */
const ANYTHING: Shape = { kind: 'scalar', scalar: 'JSON' };

function scalarOf({ type, format }: StructuralSchema): ScalarName {
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
      return format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    default:
      return 'JSON';
  }
}

function objectShape(
  schema: StructuralSchema,
  constraints: Constraints | undefined,
  options: StructuralOptions,
): Shape {
  const mapType = schema['x-kubernetes-map-type'] as MapType | undefined;
  const { additionalProperties: values } = schema;
  if (values !== undefined && values !== false && schema.properties === undefined) {
    const value = values === true ? ANYTHING : structuralShape(values, { metadata: options.metadata });
    return { kind: 'map', value, mapType, constraints };
  }
  return { kind: 'struct', struct: new StructuralStruct(schema, options), mapType, constraints };
}

/** The OpenAPI name of a kind that a schema defines, such as `com.example.v1.Widget`. */
export function structuralName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** The type that one object of a schema describes. Fields are sorted by name, which is the order of JSON output. */
export class StructuralStruct implements Struct {
  readonly name: string;
  readonly shortName: string;
  readonly kind: GroupVersionKind | undefined;
  readonly isAtomic: boolean;
  readonly isStructural = true;
  readonly unions = [];
  readonly preservesUnknown: boolean;
  readonly #schema: StructuralSchema;
  readonly #options: StructuralOptions;
  #constraints: Constraints | undefined;
  #fields: ReadonlyMap<string, Field> | undefined;
  #list: readonly Field[] | undefined;

  constructor(schema: StructuralSchema, options: StructuralOptions, kind?: GroupVersionKind) {
    this.name = kind === undefined ? '' : structuralName(kind);
    this.shortName = kind?.kind ?? '';
    this.kind = kind;
    this.isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
    this.preservesUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.#schema = schema;
    this.#options = options;
  }

  get constraints(): Constraints | undefined {
    return (this.#constraints ??= constraintsOf(this.#schema));
  }

  get fields(): readonly Field[] {
    return (this.#list ??= [...this.#byName().values()]);
  }

  readonly field = (name: string): Field | undefined => this.#byName().get(name);

  #byName(): ReadonlyMap<string, Field> {
    if (this.#fields !== undefined) return this.#fields;
    const { metadata } = this.#options;
    const { properties = {}, required = [] } = this.#schema;
    const shapes = shapesOf(this.#schema, { metadata });
    if (this.#options.isResource === true || this.#schema['x-kubernetes-embedded-resource'] === true) {
      for (const name of ['apiVersion', 'kind']) if (!shapes.has(name)) shapes.set(name, TEXT);
      shapes.set('metadata', metadataShape(properties['metadata'], metadata));
    }
    const needed = new Set(required);
    const fields = [...shapes].sort(([left], [right]) => (left < right ? -1 : 1));
    this.#fields = new Map(
      fields.map(([name, shape]) => {
        const field = structuralField(name, shape, needed.has(name));
        return [name, Object.hasOwn(properties, name) ? field : { ...field, isImplied: true }];
      }),
    );
    return this.#fields;
  }
}

/** In structural types every field may be absent, and none has a protobuf form. */
export function structuralField(name: string, shape: Shape, required: boolean): Field {
  return { name, number: 0, inside: [], shape, presence: 'pointer', omit: 'empty', required, immutable: false };
}

function shapesOf({ properties = {} }: StructuralSchema, options: StructuralOptions): Map<string, Shape> {
  return new Map(Object.entries(properties).map(([name, inner]) => [name, structuralShape(inner, options)]));
}

const TEXT: Shape = { kind: 'scalar', scalar: 'string' };
const NAMES: readonly Field[] = ['generateName', 'name'].map((name) => structuralField(name, TEXT, false));

/** The fields of metadata that are known without its type. */
const namesOnly: Struct = {
  name: '',
  shortName: 'ObjectMeta',
  fields: NAMES,
  field: (name) => NAMES.find((field) => field.name === name),
  kind: undefined,
  isAtomic: false,
  unions: [],
  preservesUnknown: true,
};

/** Metadata has the type of every object's; a schema may add rules about the names. */
function metadataShape(schema: StructuralSchema | undefined, typeOf: StructuralOptions['metadata']): StructShape {
  return {
    kind: 'struct',
    constraints: schema === undefined ? undefined : { ...constraintsOf(schema), ...nestedRules(schema) },
    get struct() {
      return typeOf?.() ?? namesOnly;
    },
  };
}

/** The OpenAPI keywords that apply to a single value. */
export const VALUE_RULES = [
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
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
] as const satisfies readonly (keyof ValueRules & keyof StructuralSchema)[];

const DOCUMENTATION = ['title', 'description', 'externalDocs', 'example'] as const;

/** The constraints in a schema; undefined if it has none. */
function constraintsOf(schema: StructuralSchema): Constraints | undefined {
  const documentation = picked(schema, DOCUMENTATION);
  const constraints: Constraints = compact({
    ...nestedRules(schema, false),
    ...picked(schema, ['nullable', 'default']),
    preservesUnknown: schema['x-kubernetes-preserve-unknown-fields'],
    isEmbedded: schema['x-kubernetes-embedded-resource'],
    documentation: Object.keys(documentation).length === 0 ? undefined : documentation,
  });
  return Object.keys(constraints).length === 0 ? undefined : constraints;
}

/** The rules of a schema; inside `allOf` and the like, including those for parts of a value. */
function nestedRules(schema: StructuralSchema, isNested = true): NestedRules {
  const nested = (list: readonly StructuralSchema[] | undefined): readonly NestedRules[] | undefined =>
    list?.map((inner) => nestedRules(inner));
  return compact({
    ...picked(schema, VALUE_RULES),
    allOf: nested(schema.allOf),
    anyOf: nested(schema.anyOf),
    oneOf: nested(schema.oneOf),
    not: schema.not === undefined ? undefined : nestedRules(schema.not),
    rules: schema['x-kubernetes-validations'],
    ...(isNested ? partRules(schema) : {}),
  });
}

function partRules({ type, properties, items, additionalProperties }: StructuralSchema): NestedRules {
  const itemSchema = singleSchema(items);
  const entries = Object.entries(properties ?? {}).map(([name, inner]) => [name, nestedRules(inner)] as const);
  return {
    type,
    properties: properties === undefined ? undefined : Object.fromEntries(entries),
    items: itemSchema === undefined ? undefined : nestedRules(itemSchema),
    additionalProperties: typeof additionalProperties === 'object' ? nestedRules(additionalProperties) : undefined,
  };
}

function picked<K extends keyof StructuralSchema>(
  schema: StructuralSchema,
  names: readonly K[],
): Pick<StructuralSchema, K> {
  const result: Partial<Pick<StructuralSchema, K>> = {};
  for (const name of names) if (schema[name] !== undefined) result[name] = schema[name];
  return result as Pick<StructuralSchema, K>;
}

/** Without undefined members, so that an empty one can be detected. */
function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}
