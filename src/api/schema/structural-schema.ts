import { builtInTypes } from '../built-in.ts';
import type { JSONSchemaProps } from '../types/apiextensions/v1.d.ts';
import type { Constraints, NestedRules, ValueRules } from './constraints.ts';
import type { Field, GroupVersionKind, ListShape, MapType, ScalarName, Shape, Struct, StructShape } from './schema.ts';
import { sortedStruct } from './sorted-struct.ts';

/** A structural schema as CustomResourceDefinitions write it: the words of OpenAPI v3, with `x-kubernetes-…` extensions. */
export type StructuralSchema = JSONSchemaProps;

/**
 * The type of a kind that is defined by a structural schema. Fields are in order of name, which is the order of JSON
 * output; apiVersion, kind and metadata are there in any case.
 *
 * Assumes: the schema is structural, as upstream's validation of CustomResourceDefinitions demands it. Cheap to make:
 * each object of the schema is compiled when its fields are first asked for.
 */
export function structuralKind(schema: StructuralSchema, kind: GroupVersionKind): Struct {
  const name = [...kind.group.split('.').reverse(), kind.version, kind.kind].join('.');
  return new StructuralStruct(schema, { name, shortName: kind.kind, kind, isResource: true });
}

/** The place that a structural schema describes. */
export function structuralShape(schema: StructuralSchema): Shape {
  const constraints = constraintsOf(schema);
  if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'scalar', scalar: 'IntOrString', constraints };
  switch (schema.type) {
    case 'object':
      return objectShape(schema, constraints);
    case 'array':
      return {
        kind: 'list',
        element: schema.items === undefined || Array.isArray(schema.items) ? ANYTHING : structuralShape(schema.items),
        listType: schema['x-kubernetes-list-type'] as ListShape['listType'],
        keys: schema['x-kubernetes-list-map-keys'],
        isWrapped: false,
        constraints,
      };
    default:
      return { kind: 'scalar', scalar: scalarOf(schema), constraints };
  }
}

/** A place of which a schema says nothing. */
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

function objectShape(schema: StructuralSchema, constraints: Constraints | undefined): Shape {
  const mapType = schema['x-kubernetes-map-type'] as MapType | undefined;
  const { additionalProperties: values } = schema;
  if (values !== undefined && values !== false && schema.properties === undefined) {
    return { kind: 'map', value: values === true ? ANYTHING : structuralShape(values), mapType, constraints };
  }
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const struct = new StructuralStruct(schema, { name: '', shortName: '', kind: undefined, isResource });
  return { kind: 'struct', struct, mapType, constraints };
}

interface StructuralOptions {
  readonly name: string;
  readonly shortName: string;
  readonly kind: GroupVersionKind | undefined;
  /** It has apiVersion, kind and metadata: the root of a kind, or an embedded object. */
  readonly isResource: boolean;
}

class StructuralStruct implements Struct {
  readonly name: string;
  readonly shortName: string;
  readonly kind: GroupVersionKind | undefined;
  readonly isAtomic: boolean;
  readonly isStructural = true;
  readonly unions = [];
  readonly preservesUnknown: boolean;
  readonly #schema: StructuralSchema;
  readonly #isResource: boolean;
  #constraints: Constraints | undefined;
  #fields: ReadonlyMap<string, Field> | undefined;
  #list: readonly Field[] | undefined;

  constructor(schema: StructuralSchema, { name, shortName, kind, isResource }: StructuralOptions) {
    this.name = name;
    this.shortName = shortName;
    this.kind = kind;
    this.isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
    this.preservesUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.#schema = schema;
    this.#isResource = isResource;
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
    const shapes = new Map(
      Object.entries(this.#schema.properties ?? {}).map(([name, inner]) => [name, structuralShape(inner)]),
    );
    if (this.#isResource) {
      for (const name of ['apiVersion', 'kind'])
        if (!shapes.has(name)) shapes.set(name, { kind: 'scalar', scalar: 'string' });
      shapes.set('metadata', metadataShape(this.#schema.properties?.['metadata']));
    }
    const required = new Set(this.#schema.required ?? []);
    const fields = [...shapes].sort(([left], [right]) => (left < right ? -1 : 1));
    this.#fields = new Map(fields.map(([name, shape]) => [name, structuralField(name, shape, required.has(name))]));
    return this.#fields;
  }
}

function structuralField(name: string, shape: Shape, required: boolean): Field {
  return { name, number: 0, inside: [], shape, presence: 'pointer', omit: 'empty', required, immutable: false };
}

/** Metadata is that of every object, in order of name; a schema may add rules about the name. */
function metadataShape(schema: StructuralSchema | undefined): StructShape {
  const own = new Map(Object.entries(schema?.properties ?? {}).map(([name, inner]) => [name, structuralShape(inner)]));
  let struct: Struct | undefined;
  return {
    kind: 'struct',
    constraints: schema === undefined ? undefined : constraintsOf(schema),
    get struct() {
      return (struct ??= sortedStruct(builtInTypes().struct(OBJECT_META), own));
    },
  };
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const VALUE_RULES = [
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

/** What a schema says of its place; undefined when that is nothing. */
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

/** The rules of a schema; inside `allOf` and the like, with those for the parts of a value. */
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
  const entries = Object.entries(properties ?? {}).map(([name, inner]) => [name, nestedRules(inner)] as const);
  return {
    type,
    properties: properties === undefined ? undefined : Object.fromEntries(entries),
    items: items === undefined || Array.isArray(items) ? undefined : nestedRules(items),
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

/** Without members that are undefined, so that what says nothing is empty. */
function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}
