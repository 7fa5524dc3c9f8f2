import type { Constraints, Field, ScalarName, Shape, Struct } from '../../api/index.ts';
import { objectType } from '../type-terms/index.ts';
import { ANONYMOUS, type DeclField, type DeclType, declared, listType, mapType, withMaxElements } from './decl-type.ts';
import { escapeName } from './escape.ts';
import { limits } from './limits.ts';
import { seenFields } from './seen-fields.ts';

const MAX_TEXT_BYTES = limits.requestBytes - 2;

interface TypeOptions {
  /** Which fields of an object have a type. */
  readonly fieldsOf: (struct: Struct) => readonly Field[];
  /** The enclosing types: inside itself, a type is an object without fields. */
  readonly around: readonly Struct[];
}

/** The type of data as rules of a schema see it; undefined when expressions cannot see such data. */
export function ruleType(shape: Shape): DeclType | undefined {
  return shapeType(shape, { fieldsOf: seenFields, around: [] });
}

/** The type of objects in Kubernetes' type checking of policies, with all of metadata. */
export function objectDeclType(struct: Struct): DeclType | undefined {
  return shapeType({ kind: 'struct', struct }, { fieldsOf: ({ fields }) => fields, around: [] });
}

function shapeType(shape: Shape, options: TypeOptions): DeclType | undefined {
  const { constraints = {} } = shape;
  switch (shape.kind) {
    case 'scalar':
      return scalarType(shape.scalar, constraints);
    case 'struct':
      return fieldsType(shape.struct, options);
    case 'list': {
      const element = shapeType(shape.element, options);
      if (element === undefined) return undefined;
      return listType(element, bound(constraints.maxItems) ?? Math.floor(MAX_TEXT_BYTES / (element.minSize + 1)));
    }
    case 'map': {
      const element = shapeType(shape.value, options);
      if (element === undefined) return undefined;
      const maxElements = bound(constraints.maxProperties) ?? Math.floor(MAX_TEXT_BYTES / (element.minSize + 6));
      return mapType(declared.string, element, maxElements);
    }
  }
}

/** Quantities and arbitrary JSON have no type. */
function scalarType(scalar: ScalarName, constraints: Constraints): DeclType | undefined {
  switch (scalar) {
    case 'IntOrString':
      return withMaxElements(declared.dyn, textBound(constraints.maxLength) ?? MAX_TEXT_BYTES);
    case 'string':
    case 'Duration':
      return textType(constraints);
    case 'bytes':
      return textType({ ...constraints, format: 'byte' });
    case 'Time':
    case 'MicroTime':
      return textType({ format: 'date-time' });
    case 'bool':
      return declared.bool;
    case 'double':
      return declared.double;
    case 'int32':
    case 'int64':
      return declared.int;
    case 'RawExtension':
    case 'FieldsV1':
      return { type: objectType(ANONYMOUS), fields: new Map(), maxElements: 0, minSize: 2 };
    default:
      return undefined;
  }
}

function fieldsType(struct: Struct, { fieldsOf, around }: TypeOptions): DeclType {
  const fields = new Map<string, DeclField>();
  let minSize = 2;
  const inside = { fieldsOf, around: [...around, struct] };
  for (const field of around.includes(struct) ? [] : fieldsOf(struct)) {
    const type = shapeType(field.shape, inside);
    if (type === undefined) continue;
    const escaped = escapeName(field.name);
    if (escaped !== undefined) fields.set(escaped, { type, isRequired: field.required });
    if (field.required && !hasDefault(field)) minSize += Buffer.byteLength(field.name) + type.minSize + 4;
  }
  return { type: objectType(ANONYMOUS), fields, maxElements: 0, minSize };
}

/** A field that is always written defaults to the zero value of its type. */
function hasDefault({ shape, presence, omit }: Field): boolean {
  const value = shape.constraints?.default;
  if (value !== undefined && value !== null) return true;
  return presence === 'value' && omit === 'never' && shape.kind === 'scalar' && WITH_ZERO.has(shape.scalar);
}

const WITH_ZERO: ReadonlySet<ScalarName> = new Set<ScalarName>(['string', 'bool', 'int32', 'int64', 'double']);

function textType({ format, maxLength, enum: values = [] }: Constraints): DeclType {
  switch (format) {
    case 'byte':
      return withMaxElements(declared.bytes, bound(maxLength) ?? MAX_TEXT_BYTES);
    case 'duration':
      return withMaxElements(declared.duration, 32);
    case 'date':
      return withMaxElements(declared.timestamp, 12);
    case 'date-time':
      return { ...declared.timestamp, maxElements: 32, minSize: 21 };
    default:
  }
  const longest = Math.max(...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
  return withMaxElements(declared.string, textBound(maxLength) ?? (values.length === 0 ? MAX_TEXT_BYTES : longest));
}

function bound(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value);
}

/** Lengths are in code points of up to four bytes. */
function textBound(maxLength: number | undefined): number | undefined {
  return maxLength === undefined ? undefined : Math.max(0, maxLength) * 4;
}
