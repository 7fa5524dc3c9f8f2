import type { Bounds } from '../cost/size.ts';
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  objectType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../type-terms/index.ts';
import { QUANTITY_TYPE } from './libraries/index.ts';

/** A type that a schema describes. Unlike the language's types, it knows how large values can be. */
export interface DeclType {
  readonly type: Type;
  /** For objects: the fields, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, DeclField>;
  /** For maps. */
  readonly key?: DeclType;
  /** For lists and maps. */
  readonly element?: DeclType;
  /** Max characters, elements or entries of a value; 0 for scalars. */
  readonly maxElements: number;
  /** Min bytes of a value as JSON. */
  readonly minSize: number;
}

export interface DeclField {
  readonly type: DeclType;
  readonly isRequired: boolean;
}

const simple = (type: Type, minSize: number): DeclType => ({ type, maxElements: 0, minSize });

/** The types that need no schema. */
export const declared = {
  any: simple(ANY, 1),
  bool: simple(BOOL, 4),
  bytes: simple(BYTES, 2),
  double: simple(DOUBLE, 1),
  duration: simple(DURATION, 3),
  dyn: simple(DYN, 1),
  int: simple(INT, 1),
  null: simple(NULL, 4),
  quantity: simple(QUANTITY_TYPE, 8),
  string: simple(STRING, 2),
  timestamp: simple(TIMESTAMP, 12),
  uint: simple(UINT, 1),
} as const;

/** Where the number of elements is not bounded. */
export const UNBOUNDED = -1;

export function listType(element: DeclType, maxElements: number): DeclType {
  return { type: listOf(element.type), element, maxElements, minSize: 2 };
}

export function mapType(key: DeclType, element: DeclType, maxElements: number): DeclType {
  return { type: mapOf(key.type, element.type), key, element, maxElements, minSize: 2 };
}

/** An object type with a given name. */
export function structType(name: string, fields: Readonly<Record<string, DeclType>>): DeclType {
  const entries = Object.entries(fields).map(([field, type]) => [field, { type, isRequired: false }] as const);
  return { type: objectType(name), fields: new Map(entries), maxElements: 0, minSize: 2 };
}

/** The same type with another bound. */
export function withMaxElements(type: DeclType, maxElements: number): DeclType {
  return { ...type, maxElements };
}

/** The name of objects until they are named for their place. */
export const ANONYMOUS = 'object';

/** Names the anonymous objects in a type by their place: `name.field`, `name.@idx`, `name.@elem`. */
export function nameObjects(decl: DeclType, name: string): DeclType {
  if (decl.fields !== undefined) {
    const own = decl.type.name === ANONYMOUS ? name : decl.type.name;
    const fields = new Map(
      [...decl.fields].map(
        ([field, { type, isRequired }]) => [field, { type: nameObjects(type, `${own}.${field}`), isRequired }] as const,
      ),
    );
    return { ...decl, type: objectType(own), fields };
  }
  if (decl.element === undefined) return decl;
  const element = nameObjects(decl.element, `${name}.${decl.key === undefined ? '@idx' : '@elem'}`);
  return decl.key === undefined ? listType(element, decl.maxElements) : mapType(decl.key, element, decl.maxElements);
}

/** The part of a type that a step of a path leads to. */
export function partOf(at: DeclType, name: string): DeclType | undefined {
  switch (name) {
    case '@items':
    case '@values':
      return at.element;
    case '@keys':
      return at.key;
    default:
      return at.fields?.get(name)?.type;
  }
}

/** The max size of the data at a path; undefined when the path does not exist. */
export function sizeAlong(path: readonly string[], root: DeclType, part = partOf): Bounds | undefined {
  let at: DeclType | undefined = root;
  for (const name of path) {
    at = part(at, name);
    if (at === undefined) return undefined;
  }
  return { min: 0n, max: BigInt.asUintN(64, BigInt(at.maxElements)) };
}
