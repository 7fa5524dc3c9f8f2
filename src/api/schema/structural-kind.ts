import { builtInTypes } from '../built-in.ts';
import type { Field, GroupVersionKind, Shape, Struct } from './schema.ts';
import { type StructuralSchema, StructuralStruct } from './structural-schema.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The type of a kind that is defined by a structural schema; apiVersion, kind and metadata are there in any case. */
export function structuralKind(schema: StructuralSchema, kind: GroupVersionKind): Struct {
  const metadata = (shapes: ReadonlyMap<string, Shape>): Struct =>
    sortedStruct(builtInTypes().struct(OBJECT_META), shapes);
  return new StructuralStruct(schema, { isResource: true, metadata }, kind);
}

/**
 * A type with its fields in order of name, at any depth: Go prints in that order what it holds as maps, and so the
 * metadata of custom resources. `shapes` replaces some of the fields' shapes.
 */
function sortedStruct(struct: Struct, shapes: ReadonlyMap<string, Shape> = new Map()): Struct {
  const known = shapes.size === 0 ? sortedStructs.get(struct) : undefined;
  if (known !== undefined) return known;
  const sorted = new SortedStruct(struct, shapes);
  if (shapes.size === 0) sortedStructs.set(struct, sorted);
  return sorted;
}

const sortedStructs = new WeakMap<Struct, Struct>();

class SortedStruct implements Struct {
  readonly name: string;
  readonly shortName: string;
  readonly kind: Struct['kind'];
  readonly isAtomic: boolean;
  readonly unions: Struct['unions'];
  readonly preservesUnknown: boolean;
  readonly #struct: Struct;
  readonly #shapes: ReadonlyMap<string, Shape>;
  #fields: readonly Field[] | undefined;

  constructor(struct: Struct, shapes: ReadonlyMap<string, Shape>) {
    this.name = struct.name;
    this.shortName = struct.shortName;
    this.kind = struct.kind;
    this.isAtomic = struct.isAtomic;
    this.unions = struct.unions;
    this.preservesUnknown = struct.preservesUnknown;
    this.#struct = struct;
    this.#shapes = shapes;
  }

  get fields(): readonly Field[] {
    return (this.#fields ??= this.#struct.fields
      .map((field) => ({ ...field, shape: this.#shapes.get(field.name) ?? sortedShape(field.shape) }))
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
