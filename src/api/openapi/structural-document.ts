import type { Constraints, NestedRules } from '../schema/constraints.ts';
import type { Field, ScalarName, Shape, Struct } from '../schema/schema.ts';
import { type Descriptions, typeMeta } from './descriptions.ts';
import { VALUE_RULES } from '../schema/structural-schema.ts';
import { type JsonSchema, type OpenApiVersion, reference } from './json-schema.ts';

type Members = Record<string, unknown>;

const METADATA = "Standard object's metadata: its name, labels, annotations and owners.";

/**
 * Documents a structural type as upstream does: in v3 as the schema was written, in v2 without keywords that version lacks,
 * and without what kubectl would take for complete where it is not.
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

  /** Named types are referenced; in v3, the neighbours of a reference go around it. */
  #place(shape: Shape): JsonSchema {
    if (shape.kind !== 'struct' || shape.struct.name === '') return this.inPlace(shape, undefined);
    return { $ref: reference(shape.struct.name, this.#version) };
  }

  inPlace(shape: Shape, root: Struct | undefined): JsonSchema {
    const { constraints = NOTHING } = shape;
    const isHidden = this.#isV2 && (constraints.nullable === true || constraints.preservesUnknown === true);
    const schema: Members = { ...constraints.documentation };
    put(schema, 'type', this.#type(shape));
    if (!this.#isV2) {
      if (constraints.default !== undefined) schema['default'] = constraints.default;
      put(schema, 'nullable', constraints.nullable);
    }
    putValueRules(schema, constraints);
    if (!this.#isV2) putJunctors(schema, constraints);
    if (shape.kind === 'list' && !isHidden) schema['items'] = this.#place(shape.element);
    if (shape.kind === 'map') schema['additionalProperties'] = this.#others(shape.value);
    if (shape.kind === 'struct' && !isHidden) this.#putMembers(schema, shape.struct, { constraints, root });
    putExtensions(schema, shape, constraints);
    return schema;
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

  #putMembers(
    schema: Members,
    struct: Struct,
    { constraints, root }: { readonly constraints: Constraints; readonly root: Struct | undefined },
  ): void {
    const isResource = root?.kind !== undefined || constraints.isEmbedded === true;
    const describe = (name: string): string | undefined =>
      root === undefined ? typeMeta.get(name) : this.#descriptions.ofField(root, name);
    const properties = struct.fields.map((field): [string, JsonSchema] => {
      if (!isResource || !RESOURCE_FIELDS.has(field.name)) return [field.name, this.#place(field.shape)];
      return [field.name, this.#resourceField(field, describe(field.name))];
    });
    const { required = [] } = constraints;
    const isNullable = (name: string): boolean => struct.field(name)?.shape.constraints?.nullable === true;
    const asked = this.#isV2 ? required.filter((name) => !isNullable(name)) : required;
    const added = constraints.isEmbedded === true ? ['kind', 'apiVersion'].filter((name) => !asked.includes(name)) : [];
    const all = [...asked, ...added];
    if (all.length > 0) schema['required'] = all;
    if (properties.length > 0) schema['properties'] = Object.fromEntries(properties);
  }

  #resourceField({ name, shape }: Field, text: string | undefined): JsonSchema {
    if (shape.kind !== 'struct') return { ...(text === undefined ? {} : { description: text }), type: 'string' };
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

/** The value rules that both versions have; `required` is written with the members. */
const PUBLISHED_RULES = VALUE_RULES.filter((name) => name !== 'required');

const NOTHING: Constraints = {};

function putValueRules(schema: Members, rules: NestedRules): void {
  if (rules === NOTHING) return;
  for (const name of PUBLISHED_RULES) put(schema, name, rules[name]);
}

function putJunctors(schema: Members, { allOf, anyOf, oneOf, not }: NestedRules): void {
  put(schema, 'allOf', allOf?.map(nested));
  put(schema, 'anyOf', anyOf?.map(nested));
  put(schema, 'oneOf', oneOf?.map(nested));
  if (not !== undefined) schema['not'] = nested(not);
}

function nested(rules: NestedRules): JsonSchema {
  const { properties, items, additionalProperties, required, type } = rules;
  const schema: Members = {};
  put(schema, 'type', type);
  putValueRules(schema, rules);
  putJunctors(schema, rules);
  put(schema, 'required', required);
  if (properties !== undefined) {
    const parts = Object.entries(properties).map(([name, inner]) => [name, nested(inner)] as const);
    schema['properties'] = Object.fromEntries(parts);
  }
  if (items !== undefined) schema['items'] = nested(items);
  if (additionalProperties !== undefined) schema['additionalProperties'] = nested(additionalProperties);
  put(schema, 'x-kubernetes-validations', rules.rules);
  return schema;
}

function putExtensions(schema: Members, shape: Shape, constraints: Constraints): void {
  put(schema, 'x-kubernetes-preserve-unknown-fields', constraints.preservesUnknown);
  put(schema, 'x-kubernetes-embedded-resource', constraints.isEmbedded);
  if (shape.kind === 'scalar') {
    put(schema, 'x-kubernetes-int-or-string', shape.scalar === 'IntOrString');
  } else if (shape.kind === 'list') {
    put(schema, 'x-kubernetes-list-map-keys', shape.keys);
    put(schema, 'x-kubernetes-list-type', shape.listType);
  } else {
    put(schema, 'x-kubernetes-map-type', shape.mapType);
  }
  put(schema, 'x-kubernetes-validations', constraints.rules);
}

/** Go omits what is absent or false. */
function put(schema: Members, name: string, value: unknown): void {
  if (value !== undefined && value !== false) schema[name] = value;
}
