import { type KubernetesVersion, minorOf } from '../../base/index.ts';
import type { Field, Shape, Struct } from '../schema/schema.ts';
import type { Descriptions } from './descriptions.ts';
import { reference } from './json-schema.ts';
import type { JsonSchema, OpenApiVersion } from './json-schema.ts';
import { scalarSchema } from './scalar-schemas.ts';
import { structuralDocument } from './structural-document.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OpenSchema = Mutable<JsonSchema>;

/** What schemas of types are written from. */
export interface SchemaSources {
  readonly types: { readonly version: KubernetesVersion };
  readonly descriptions: Descriptions;
}

/**
 * Documents one type; its fields' types are referenced by name.
 *
 * The versions differ in two ways. In v3 a reference stands alone: its neighbours go around an `allOf` with the reference
 * in it. In v2 there are no defaults: its clients (kubectl among them) took them for values that must be set. In v3 items of lists and
 * values of maps have none since Kubernetes 1.37.
 */
export function structSchema(
  struct: Struct,
  version: OpenApiVersion,
  { types, descriptions }: SchemaSources,
): JsonSchema {
  if (struct.isStructural === true) return structuralDocument(struct, version, descriptions);
  const writer = version === 'v2' ? v2 : minorOf(types.version) < BARE_ELEMENTS ? v3WithElements : v3;
  const schema: OpenSchema = {};
  const description = descriptions.ofType(struct);
  if (description !== undefined) schema.description = description;
  schema.type = 'object';
  const required = struct.fields
    .filter((field) => field.required && field.isOnlyChecked !== true)
    .map((field) => field.name);
  if (required.length > 0) schema.required = required;
  if (struct.fields.length > 0) {
    const properties: Record<string, JsonSchema> = {};
    for (const field of [...struct.fields].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      properties[field.name] = writer.field(field, descriptions.ofField(struct, field.name));
    }
    schema.properties = properties;
  }
  if (struct.isAtomic) schema['x-kubernetes-map-type'] = 'atomic';
  if (struct.isGranular === true) schema['x-kubernetes-map-type'] = 'granular';
  if (struct.unions.length > 0) schema['x-kubernetes-unions'] = struct.unions.map(unionSchema);
  return schema;
}

/** The OpenAPI names of the types of a type's fields. */
export function typesOfFields(struct: Struct): ReadonlySet<string> {
  const names = new Set<string>();
  for (const field of struct.fields) {
    let shape = field.shape;
    while (shape.kind === 'list' || shape.kind === 'map') shape = shape.kind === 'list' ? shape.element : shape.value;
    if (shape.kind === 'struct' && shape.struct.name === '') {
      for (const name of typesOfFields(shape.struct)) names.add(name);
    } else if (shape.kind === 'struct') {
      names.add(shape.struct.name);
    } else if (struct.isStructural !== true) {
      const scalar = scalarSchema(shape.scalar);
      if (scalar.kind === 'named') names.add(scalar.name);
    }
  }
  return names;
}

function unionSchema({ discriminator, fields }: Struct['unions'][number]): Record<string, unknown> {
  return { ...(discriminator === '' ? {} : { discriminator }), 'fields-to-discriminateBy': fields };
}

/** The first minor version of Kubernetes that documents items of lists and values of maps without a default. */
const BARE_ELEMENTS = 37;

class FieldWriter {
  readonly #version: OpenApiVersion;
  readonly #elementsHaveZero: boolean;

  constructor(version: OpenApiVersion, elementsHaveZero: boolean) {
    this.#version = version;
    this.#elementsHaveZero = elementsHaveZero;
  }

  field(field: Field, description: string | undefined): JsonSchema {
    const { shape } = field;
    const { constraints } = shape;
    const isValue = field.presence === 'value';
    const schema: OpenSchema = {};
    if (description !== undefined) schema.description = description;
    if (constraints?.default !== undefined && this.#version === 'v3') schema.default = constraints.default;
    this.#addShape(schema, shape, isValue && (shape.kind === 'struct' || field.omit === 'never'));
    if (field.mergeKey !== undefined) schema['x-kubernetes-patch-merge-key'] = field.mergeKey;
    if (field.patchStrategy !== undefined) schema['x-kubernetes-patch-strategy'] = field.patchStrategy;
    return this.#finish(schema);
  }

  /** `hasZero`: an unset value is the zero of its type, which is documented as its default. */
  #addShape(schema: OpenSchema, shape: Shape, hasZero: boolean): void {
    switch (shape.kind) {
      case 'scalar': {
        const scalar = scalarSchema(shape.scalar);
        if (scalar.kind === 'named') {
          schema.$ref = reference(scalar.name, this.#version);
          break;
        }
        Object.assign(schema, scalar.schema);
        if (hasZero) this.#addDefault(schema, scalar.zero);
        if (shape.constraints?.enum !== undefined) schema.enum = shape.constraints.enum;
        if (shape.listType !== undefined) schema['x-kubernetes-list-type'] = shape.listType;
        break;
      }
      case 'struct':
        if (hasZero) this.#addDefault(schema, {});
        schema.$ref = reference(shape.struct.name, this.#version);
        if (shape.mapType !== undefined) schema['x-kubernetes-map-type'] = shape.mapType;
        if (shape.listType !== undefined) schema['x-kubernetes-list-type'] = shape.listType;
        break;
      case 'list':
        schema.type = 'array';
        schema.items = this.#element(shape.element);
        if (shape.listType !== undefined) schema['x-kubernetes-list-type'] = shape.listType;
        if (shape.keys !== undefined) schema['x-kubernetes-list-map-keys'] = shape.keys;
        break;
      case 'map':
        schema.type = 'object';
        schema.additionalProperties = this.#element(shape.value);
        if (shape.mapType !== undefined) schema['x-kubernetes-map-type'] = shape.mapType;
        break;
    }
  }

  #element(shape: Shape): JsonSchema {
    const schema: OpenSchema = {};
    this.#addShape(schema, shape, this.#elementsHaveZero);
    return this.#finish(schema);
  }

  #addDefault(schema: OpenSchema, value: unknown): void {
    if (this.#version === 'v3' && value !== undefined) schema.default ??= value;
  }

  #finish(schema: OpenSchema): JsonSchema {
    if (this.#version === 'v2' || schema.$ref === undefined || Object.keys(schema).length === 1) return schema;
    const { $ref, ...neighbours } = schema;
    return { ...neighbours, allOf: [{ $ref }] };
  }
}

const v2 = new FieldWriter('v2', false);
const v3 = new FieldWriter('v3', false);
const v3WithElements = new FieldWriter('v3', true);
