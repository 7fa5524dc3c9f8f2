import type { GroupVersionKind, Shape, Struct } from '../schema/schema.ts';
import { structuralName } from '../schema/structural-schema.ts';
import { LIST_METADATA, typeMeta } from './descriptions.ts';
import type { DocumentSources } from './document-sources.ts';
import { reference } from './json-schema.ts';
import type { JsonSchema, OpenApiVersion } from './json-schema.ts';
import type { WrittenSchema } from './served-resource.ts';
import { structSchema } from './struct-schema.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** A kind that is documented like CustomResourceDefinitions. */
export interface CustomKind {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  readonly type: Struct;
  /** Paths that field selectors may use, such as `spec.color`. */
  readonly selectableFields: readonly string[];
  /** The kind's schema in OpenAPI; default: made from the type. */
  readonly openApi?: Pick<WrittenSchema, 'v2' | 'v3'>;
}

/** The schemas of a custom kind and its list, written for each OpenAPI version on request. */
export function customSchemas(custom: CustomKind, sources: DocumentSources): Record<'object' | 'list', WrittenSchema> {
  const { kind, openApi } = custom;
  const name = structuralName(kind);
  const listKind = { ...kind, kind: custom.listKind };
  return {
    object:
      openApi === undefined
        ? lazy(name, kind, (version) => ofObject(custom, version, sources))
        : { name, kind, ...openApi },
    list: lazy(structuralName(listKind), listKind, (version) => ofList(custom, version)),
  };
}

function lazy(name: string, kind: GroupVersionKind, write: (version: OpenApiVersion) => JsonSchema): WrittenSchema {
  return {
    name,
    kind,
    get v2() {
      return write('v2');
    },
    get v3() {
      return write('v3');
    },
  };
}

function ofObject(custom: CustomKind, version: OpenApiVersion, sources: DocumentSources): JsonSchema {
  // Old versions of kubectl assume that a schema with properties allows no others.
  if (version === 'v2' && custom.type.preservesUnknown)
    return { type: 'object', ...kubernetesMembers(custom.kind, custom) };
  const { properties = {}, ...schema } = inPlace(custom.type, version, { sources, around: [] });
  const { default: _, ...metadata } = properties['metadata'] ?? metaReference('ObjectMeta', version);
  const all = { apiVersion: TEXT, kind: TEXT, ...properties, metadata };
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...kubernetesMembers(custom.kind, custom),
  };
}

function ofList(custom: CustomKind, version: OpenApiVersion): JsonSchema {
  const { kind } = custom.kind;
  return {
    description: `${custom.listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: described('apiVersion'),
      items: {
        description: `The ${kind} objects of the list.`,
        type: 'array',
        items: { $ref: reference(structuralName(custom.kind), version) },
      },
      kind: described('kind'),
      metadata: { description: LIST_METADATA, ...metaReference('ListMeta', version) },
    },
    ...kubernetesMembers({ ...custom.kind, kind: custom.listKind }, custom),
  };
}

const TEXT: JsonSchema = { type: 'string' };

function described(name: string): JsonSchema {
  return { description: typeMeta.get(name), type: 'string' };
}

function metaReference(name: string, version: OpenApiVersion): JsonSchema {
  const $ref = reference(`${META}.${name}`, version);
  return version === 'v3' ? { allOf: [{ $ref }] } : { $ref };
}

function kubernetesMembers(
  { group, version, kind }: GroupVersionKind,
  { selectableFields }: CustomKind,
): Readonly<Record<string, unknown>> {
  const fields = selectableFields.map((fieldPath) => ({ fieldPath }));
  return {
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(fields.length === 0 ? {} : { 'x-kubernetes-selectable-fields': fields }),
  };
}

interface Place {
  readonly sources: DocumentSources;
  /** The enclosing types, to detect recursion, which cannot be written inline. */
  readonly around: readonly Struct[];
}

/** Writes a type with its fields' types inline, except for types of the tables, which are referenced by name. */
function inPlace(struct: Struct, version: OpenApiVersion, { sources, around }: Place): JsonSchema {
  if (around.includes(struct)) return { type: 'object', ...UNKNOWN_FIELDS };
  const { properties, ...schema } = structSchema(struct, version, sources);
  const below: Place = { sources, around: [...around, struct] };
  const written = Object.entries(properties ?? {}).map(([name, property]) => {
    const shape = struct.field(name)?.shape;
    return [name, shape === undefined ? property : ofShape(property, shape, below)] as const;
  });

  function ofShape(property: JsonSchema, shape: Shape, place: Place): JsonSchema {
    if (shape.kind === 'list') return { ...property, items: ofShape(property.items ?? {}, shape.element, place) };
    if (shape.kind === 'map') {
      const values = property.additionalProperties as JsonSchema;
      return { ...property, additionalProperties: ofShape(values, shape.value, place) };
    }
    if (shape.kind !== 'struct' || sources.isInTables(shape.struct)) return property;
    const { $ref, allOf, ...neighbours } = property;
    if ($ref === undefined && allOf === undefined) return property;
    return { ...inPlace(shape.struct, version, place), ...neighbours };
  }

  return {
    ...schema,
    ...(written.length === 0 ? {} : { properties: Object.fromEntries(written) }),
    ...(struct.preservesUnknown ? UNKNOWN_FIELDS : {}),
  };
}

const UNKNOWN_FIELDS = { 'x-kubernetes-preserve-unknown-fields': true };
