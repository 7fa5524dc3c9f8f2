import type { Field, ListShape, MapShape, ScalarName, ScalarShape, Shape, Struct } from '../schema/schema.ts';
import { EMPTY_SET, type KnownField, RecentLevels } from './field-set.ts';
import { type FieldElement, fieldElement, RecentElements } from './path-element.ts';

/**
 * How values of one type are owned and merged. Built-in types have exactly one of the three members; a value that may be
 * anything has all three, and its own type decides.
 */
export interface MergeType {
  readonly map?: MapType;
  readonly scalar?: ScalarKind;
  readonly list?: ListType;
}

/** The allowed type of a scalar; `untyped` allows strings, numbers and booleans. */
export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'untyped';

/** Objects: structs with fields or maps with any keys. */
export interface MapType {
  /** Owned and replaced as a whole. */
  readonly isAtomic: boolean;
  readonly field: (name: string) => MergeField | undefined;
  readonly hasFields: boolean;
  /** The type of members that are not fields; undefined if none are allowed. */
  readonly rest: MergeType | undefined;
  /** Recent sets of paths of values of the type. */
  readonly recent: RecentLevels;
}

export interface MergeField extends KnownField {
  readonly element: FieldElement;
  readonly type: MergeType;
  /** The value of an absent field where it is part of a list's key. */
  readonly default: unknown;
}

export interface ListType {
  readonly relation: 'atomic' | 'set' | 'map';
  /** The fields that identify an element of a `map` list. */
  readonly keys: readonly string[];
  readonly element: MergeType;
  /** See `MapType`. */
  readonly recent: RecentLevels;
  /** Recent identities of items, by their only key. */
  readonly elements: RecentElements;
}

/** The type of objects of a struct, computed on first use and cached. */
export function mergeTypeOf(struct: Struct): MergeType {
  return structType(struct, false);
}

/** The type of a member, whether or not it is a declared field. */
export function memberType(type: MapType, field: MergeField | undefined): MergeType {
  return field?.type ?? type.rest ?? DEDUCED_TYPE;
}

const WITHOUT_FIELDS = { field: (): undefined => undefined, hasFields: false } as const;

const ATOMIC_LIST: ListType = {
  relation: 'atomic',
  keys: [],
  get element() {
    return OPAQUE_TYPE;
  },
  recent: new RecentLevels(),
  elements: new RecentElements(),
};

/** Objects are merged member by member, at any depth; lists are atomic. */
export const DEDUCED_TYPE: MergeType = {
  map: {
    isAtomic: false,
    ...WITHOUT_FIELDS,
    get rest() {
      return DEDUCED_TYPE;
    },
    recent: new RecentLevels(),
  },
  scalar: 'untyped',
  list: ATOMIC_LIST,
};

/** Any value, owned as a whole. */
const OPAQUE_TYPE: MergeType = {
  map: {
    isAtomic: true,
    ...WITHOUT_FIELDS,
    get rest() {
      return OPAQUE_TYPE;
    },
    recent: new RecentLevels(),
  },
  scalar: 'untyped',
  list: ATOMIC_LIST,
};

const SCALAR_TYPES: Readonly<Record<ScalarName, MergeType>> = {
  string: { scalar: 'string' },
  bytes: { scalar: 'string' },
  int32: { scalar: 'numeric' },
  int64: { scalar: 'numeric' },
  double: { scalar: 'numeric' },
  bool: { scalar: 'boolean' },
  Duration: { scalar: 'string' },
  Quantity: { scalar: 'untyped' },
  Time: { scalar: 'untyped' },
  MicroTime: { scalar: 'untyped' },
  IntOrString: DEDUCED_TYPE,
  FieldsV1: { map: DEDUCED_TYPE.map },
  JSON: DEDUCED_TYPE,
  RawExtension: OPAQUE_TYPE,
  JSONSchemaPropsOrArray: DEDUCED_TYPE,
  JSONSchemaPropsOrBool: DEDUCED_TYPE,
  JSONSchemaPropsOrStringArray: DEDUCED_TYPE,
};

const FORMATTED_TEXT: MergeType = { scalar: 'untyped' };

/** Strings with a format in the schema, except base64, are not checked. */
function isFormatted({ scalar, constraints }: ScalarShape): boolean {
  const format = constraints?.format ?? '';
  return scalar === 'string' && format !== '' && format !== 'byte';
}

/** Merge types of structs: by themselves, and inside a struct that keeps unknown fields, where they are allowed too. */
const structTypes = [new WeakMap<Struct, StructMergeType>(), new WeakMap<Struct, StructMergeType>()] as const;

function structType(struct: Struct, keepsUnknown: boolean): StructMergeType {
  const cache = structTypes[keepsUnknown ? 1 : 0];
  let type = cache.get(struct);
  if (type === undefined) {
    type = new StructMergeType(struct, { isAtomic: struct.isAtomic, keepsUnknown });
    cache.set(struct, type);
  }
  return type;
}

class StructMergeType implements MergeType {
  readonly map: MapType;

  constructor(struct: Struct, options: { readonly isAtomic: boolean; readonly keepsUnknown: boolean }) {
    const keepsUnknown = options.keepsUnknown || struct.preservesUnknown;
    const fields = new Map<string, MergeField>();
    this.map = {
      isAtomic: options.isAtomic,
      hasFields: struct.fields.length > 0,
      rest: keepsUnknown || struct.fields.length === 0 ? DEDUCED_TYPE : undefined,
      recent: new RecentLevels(),
      field: (name) => {
        const known = fields.get(name);
        if (known !== undefined) return known;
        const field = struct.field(name);
        if (field === undefined) return undefined;
        const element = fieldElement(name);
        const merge: MergeField = {
          element,
          leaf: { element, isMember: true, children: EMPTY_SET },
          type: fieldType(field, keepsUnknown),
          default: keyDefault(field),
        };
        fields.set(name, merge);
        return merge;
      },
    };
  }
}

/** A field may declare a struct atomic or not, overriding the struct itself. */
function fieldType(field: Field, keepsUnknown: boolean): MergeType {
  const { shape } = field;
  if (shape.kind !== 'struct' || shape.mapType === undefined) return shapeType(shape, keepsUnknown);
  return new StructMergeType(shape.struct, { isAtomic: shape.mapType === 'atomic', keepsUnknown });
}

function shapeType(shape: Shape, keepsUnknown: boolean): MergeType {
  switch (shape.kind) {
    case 'scalar':
      return isFormatted(shape) ? FORMATTED_TEXT : SCALAR_TYPES[shape.scalar];
    case 'struct':
      return structType(shape.struct, keepsUnknown);
    case 'list':
      return { list: listType(shape, keepsUnknown) };
    case 'map':
      return { map: mapType(shape, keepsUnknown) };
  }
}

function listType({ element, listType: relation = 'atomic', keys = [] }: ListShape, keepsUnknown: boolean): ListType {
  const recent = new RecentLevels();
  return { relation, keys, element: shapeType(element, keepsUnknown), recent, elements: new RecentElements() };
}

function mapType({ value, mapType: relation }: MapShape, keepsUnknown: boolean): MapType {
  const rest = shapeType(value, keepsUnknown);
  return { isAtomic: relation === 'atomic', ...WITHOUT_FIELDS, rest, recent: new RecentLevels() };
}

const ZEROS: Partial<Readonly<Record<ScalarName, unknown>>> = {
  string: '',
  int32: 0,
  int64: 0,
  double: 0,
  bool: false,
};

/** The default in the OpenAPI schema; for a field that is always written, the zero of its type. */
function keyDefault({ shape, presence, omit }: Field): unknown {
  if (shape.constraints?.default !== undefined) return shape.constraints.default;
  return shape.kind === 'scalar' && presence === 'value' && omit === 'never' ? ZEROS[shape.scalar] : undefined;
}
