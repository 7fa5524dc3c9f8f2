import type { Constraints, NestedRules } from '../schema/constraints.ts';
import type { Field, ScalarName, Shape, Struct } from '../schema/schema.ts';
import type { Descriptions } from './descriptions.ts';
import { type JsonSchema, type OpenApiVersion, reference } from './json-schema.ts';

type Members = Record<string, unknown>;

const METADATA = "Standard object's metadata: its name, labels, annotations and owners.";

/**
 * Documents a structural type as upstream does: in v3 as the schema was written, in v2 without what that version has no
 * words for, and without what kubectl would take for the whole where there may be more.
 */
export function structuralDocument(struct: Struct, version: OpenApiVersion, descriptions: Descriptions): JsonSchema {
  if (version === 'v2' && struct.preservesUnknown) return { type: 'object' };
  const root: Shape = { kind: 'struct', struct, constraints: struct.constraints };
  return new Writer(version, descriptions).inPlace(root, struct);
}

class Writer {
  readonly #isV2: boolean;
  readonly #version: OpenApiVersion;
  readonly #descriptions: Descriptions;

  constructor(version: OpenApiVersion, descriptions: Descriptions) {
    this.#isV2 = version === 'v2';
    this.#version = version;
    this.#descriptions = descriptions;
  }

  /** Types with a name are referred to; in v3, what is said beside a reference stands around it. */
  #place(shape: Shape): JsonSchema {
    if (shape.kind !== 'struct' || shape.struct.name === '') return this.inPlace(shape, undefined);
    return { $ref: reference(shape.struct.name, this.#version) };
  }

  inPlace(shape: Shape, root: Struct | undefined): JsonSchema {
    const { constraints = {} } = shape;
    const isHidden = this.#isV2 && (constraints.nullable === true || constraints.preservesUnknown === true);
    return without({
      ...constraints.documentation,
      type: this.#type(shape),
      ...(this.#isV2 ? {} : { default: constraints.default, nullable: constraints.nullable }),
      ...valueRules(constraints),
      ...(this.#isV2 ? {} : junctors(constraints)),
      items: shape.kind === 'list' && !isHidden ? this.#place(shape.element) : undefined,
      additionalProperties: shape.kind === 'map' ? this.#others(shape.value) : undefined,
      ...(shape.kind === 'struct' && !isHidden ? this.#members(shape.struct, constraints, root) : {}),
      ...extensions(shape),
    });
  }

  #type(shape: Shape): string | undefined {
    const { nullable, preservesUnknown } = shape.constraints ?? {};
    const type = shape.kind === 'scalar' ? TYPES[shape.scalar] : shape.kind === 'list' ? 'array' : 'object';
    const isVague = nullable === true || (preservesUnknown === true && (type === 'object' || type === 'array'));
    return this.#isV2 && isVague ? undefined : type;
  }

  #others(shape: Shape): JsonSchema | true {
    const isAnything = shape.kind === 'scalar' && shape.scalar === 'JSON' && shape.constraints === undefined;
    return isAnything ? true : this.#place(shape);
  }

  #members(struct: Struct, constraints: Constraints, root: Struct | undefined): Members {
    const isResource = root?.kind !== undefined || constraints.isEmbedded === true;
    const describe = (name: string): string | undefined =>
      root === undefined ? undefined : this.#descriptions.ofField(root, name);
    const properties = struct.fields.map((field): [string, JsonSchema] => {
      if (!isResource || !RESOURCE_FIELDS.has(field.name)) return [field.name, this.#place(field.shape)];
      return [field.name, this.#resourceField(field, describe(field.name))];
    });
    const { required = [] } = constraints;
    const isNullable = (name: string): boolean => struct.field(name)?.shape.constraints?.nullable === true;
    const asked = this.#isV2 ? required.filter((name) => !isNullable(name)) : required;
    const added = constraints.isEmbedded === true ? ['kind', 'apiVersion'].filter((name) => !asked.includes(name)) : [];
    const all = [...asked, ...added];
    return {
      required: all.length === 0 ? undefined : all,
      properties: properties.length === 0 ? undefined : Object.fromEntries(properties),
    };
  }

  #resourceField({ name, shape }: Field, text: string | undefined): JsonSchema {
    if (shape.kind !== 'struct') return without({ description: text, type: 'string' });
    const description = text ?? (name === 'metadata' ? METADATA : undefined);
    const $ref = reference(shape.struct.name, this.#version);
    if (description === undefined) return { $ref };
    return this.#isV2 ? { description, $ref } : { description, allOf: [{ $ref }] };
  }
}

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const TYPES: Partial<Readonly<Record<ScalarName, string>>> = {
  string: 'string',
  int32: 'integer',
  int64: 'integer',
  double: 'number',
  bool: 'boolean',
};

/** What can be said of a value in both versions; what is required is told with the members. */
function valueRules({
  allOf,
  anyOf,
  oneOf,
  not,
  rules,
  required,
  properties,
  items,
  additionalProperties,
  ...others
}: Constraints): Members {
  const { nullable, default: _, preservesUnknown, isEmbedded, documentation, type, ...plain } = others;
  return plain;
}

function junctors({ allOf, anyOf, oneOf, not }: NestedRules): Members {
  return {
    allOf: allOf?.map(nested),
    anyOf: anyOf?.map(nested),
    oneOf: oneOf?.map(nested),
    not: not === undefined ? undefined : nested(not),
  };
}

function nested(rules: NestedRules): JsonSchema {
  const { properties, items, additionalProperties, required, type } = rules;
  const parts = Object.entries(properties ?? {}).map(([name, inner]) => [name, nested(inner)] as const);
  return without({
    type,
    ...valueRules(rules),
    ...junctors(rules),
    required,
    properties: properties === undefined ? undefined : Object.fromEntries(parts),
    items: items === undefined ? undefined : nested(items),
    additionalProperties: additionalProperties === undefined ? undefined : nested(additionalProperties),
    'x-kubernetes-validations': rules.rules,
  });
}

function extensions(shape: Shape): Members {
  const { constraints = {} } = shape;
  return {
    'x-kubernetes-preserve-unknown-fields': constraints.preservesUnknown,
    'x-kubernetes-embedded-resource': constraints.isEmbedded,
    'x-kubernetes-int-or-string': (shape.kind === 'scalar' && shape.scalar === 'IntOrString') || undefined,
    'x-kubernetes-list-map-keys': shape.kind === 'list' ? shape.keys : undefined,
    'x-kubernetes-list-type': shape.kind === 'list' ? shape.listType : undefined,
    'x-kubernetes-map-type': shape.kind === 'struct' || shape.kind === 'map' ? shape.mapType : undefined,
    'x-kubernetes-validations': constraints.rules,
  };
}

/** Go leaves out what is absent, and what is false. */
function without(members: Members): JsonSchema {
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => value !== undefined && (value !== false || name === 'default')),
  );
}
