import type { Field, GroupVersionKind, Shape, Struct } from './schema.ts';
import { structuralField, structuralName, type StructuralSchema, StructuralStruct } from './structural-schema.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
const TEXT: Shape = { kind: 'scalar', scalar: 'string' };

/**
 * The type of a kind that a structural schema defines; it always has apiVersion, kind and metadata. `types` provides the
 * type of metadata.
 */
export function structuralKind(
  schema: StructuralSchema,
  kind: GroupVersionKind,
  { types }: { readonly types: { struct(name: string): Struct } },
): Struct {
  const metadata = (): Struct => sortedStruct(types.struct(OBJECT_META));
  return new StructuralStruct(schema, { isResource: true, metadata }, kind);
}

/** The type of lists of such a kind. */
export function structuralListKind(
  item: Struct,
  kind: GroupVersionKind,
  { types }: { readonly types: { struct(name: string): Struct } },
): Struct {
  const place = (name: string, shape: Shape, required = false): Field => structuralField(name, shape, required);
  const fields = [
    place('apiVersion', TEXT),
    place('items', { kind: 'list', element: { kind: 'struct', struct: item }, isWrapped: false }, true),
    place('kind', TEXT),
    place('metadata', { kind: 'struct', struct: sortedStruct(types.struct(LIST_META)) }),
  ];
  return {
    name: structuralName(kind),
    shortName: kind.kind,
    kind,
    isStructural: true,
    constraints: { required: ['items'] },
    fields,
    field: (name) => fields.find((field) => field.name === name),
    isAtomic: false,
    unions: [],
    preservesUnknown: false,
  };
}

const sortedStructs = new WeakMap<Struct, Struct>();

/** A type with its fields sorted by name at any depth, as Go prints maps. */
function sortedStruct(struct: Struct): Struct {
  let sorted = sortedStructs.get(struct);
  if (sorted === undefined) sortedStructs.set(struct, (sorted = new SortedStruct(struct)));
  return sorted;
}

class SortedStruct implements Struct {
  readonly name: string;
  readonly shortName: string;
  readonly kind: Struct['kind'];
  readonly isAtomic: boolean;
  readonly unions: Struct['unions'];
  readonly preservesUnknown: boolean;
  readonly #struct: Struct;
  #fields: readonly Field[] | undefined;

  constructor(struct: Struct) {
    this.name = struct.name;
    this.shortName = struct.shortName;
    this.kind = struct.kind;
    this.isAtomic = struct.isAtomic;
    this.unions = struct.unions;
    this.preservesUnknown = struct.preservesUnknown;
    this.#struct = struct;
  }

  get fields(): readonly Field[] {
    return (this.#fields ??= this.#struct.fields
      .map((field) => ({ ...field, shape: sortedShape(field.shape) }))
      .sort((left, right) => (left.name < right.name ? -1 : 1)));
  }

  readonly field = (name: string): Field | undefined => this.fields.find((field) => field.name === name);
}

function sortedShape(shape: Shape): Shape {
  switch (shape.kind) {
    case 'scalar':
      return shape;
    case 'struct':
      return { ...shape, struct: sortedStruct(shape.struct) };
    case 'list':
      return { ...shape, element: sortedShape(shape.element) };
    case 'map':
      return { ...shape, value: sortedShape(shape.value) };
  }
}
