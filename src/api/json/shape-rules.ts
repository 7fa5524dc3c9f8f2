import { compareUtf8, unreachable } from '../../base/index.ts';
import type { ListShape, MapShape, Shape, Struct } from '../schema/schema.ts';
import { isPlainObject, type PlainObject, setOwn } from './plain-object.ts';
import { sortKeys } from './raw-json.ts';
import { type Convert, scalarRules, type ScalarRule } from './scalar-rules.ts';
import { isSchemaScalar, schemaRule } from './schema-rules.ts';
import { MISMATCH, type Walk } from './walk.ts';

/** Finds the converter of a struct. Called with the first value, not before, because types may be recursive. */
export type StructConverters = (struct: Struct) => { convert(value: unknown, walk: Walk): PlainObject };

export interface ShapeRule {
  readonly convert: Convert;
  /** What replaces null in a list or map. */
  readonly blank: (walk: Walk) => unknown;
}

/** How values of a shape are read; `owner` is the enclosing struct. */
export function shapeRule(shape: Shape, owner: Struct, converters: StructConverters): ShapeRule {
  switch (shape.kind) {
    case 'scalar': {
      const { convert, zero } = scalarRule(shape.scalar, owner, converters);
      const blank = shape.scalar === 'bytes' ? '' : zero;
      return { convert, blank: () => blank };
    }
    case 'struct': {
      const convert = structConvert(shape, converters);
      return { convert, blank: (walk) => convert({}, walk) };
    }
    case 'list':
      return { convert: listConvert(shape, shapeRule(shape.element, owner, converters)), blank: () => [] };
    case 'map':
      return { convert: mapConvert(shape, shapeRule(shape.value, owner, converters)), blank: () => ({}) };
    default:
      return unreachable(shape);
  }
}

export function scalarRule(
  scalar: Extract<Shape, { kind: 'scalar' }>['scalar'],
  owner: Struct,
  converters: StructConverters,
): ScalarRule {
  if (!isSchemaScalar(scalar)) return scalarRules[scalar];
  return schemaRule(scalar, structConvert({ struct: owner }, converters));
}

function structConvert(shape: { readonly struct: Struct }, converters: StructConverters): Convert {
  let converter: ReturnType<StructConverters> | undefined;
  return (value, walk) => (converter ??= converters(shape.struct)).convert(value, walk);
}

function listConvert(shape: ListShape, { convert, blank }: ShapeRule): Convert {
  if (isStringShape(shape.element)) return convertStrings;
  return (value, walk) => {
    if (!Array.isArray(value)) throw MISMATCH;
    // map() allocates the exact length: a growing array has room for 17 items, and objects are kept for long
    return value.map((item: unknown) => (item === null || item === undefined ? blank(walk) : convert(item, walk)));
  };
}

function convertStrings(value: unknown, walk: Walk): unknown {
  if (!Array.isArray(value)) throw MISMATCH;
  let isCanonical = walk.mayShare(value);
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index];
    if (typeof item === 'string') continue;
    if (item !== null && item !== undefined) throw MISMATCH;
    isCanonical = false;
  }
  return isCanonical ? value : value.map((item) => (item as string | null) ?? '');
}

function mapConvert(shape: MapShape, { convert, blank }: ShapeRule): Convert {
  if (isStringShape(shape.value)) return convertStringMap;
  return (value, walk) => {
    const source = checkedObject(value);
    const keys = Object.keys(source);
    walk.keys += keys.length;
    sortKeys(keys);
    const result: PlainObject = {};
    for (const key of keys) {
      const item = source[key];
      setOwn(result, key, item === null || item === undefined ? blank(walk) : convert(item, walk));
    }
    return result;
  };
}

function convertStringMap(value: unknown, walk: Walk): unknown {
  const source = checkedObject(value);
  let isCanonical = walk.mayShare(source);
  let last = '';
  const keys = Object.keys(source);
  walk.keys += keys.length;
  for (const key of keys) {
    const item = source[key];
    if (typeof item !== 'string') {
      if (item !== null && item !== undefined) throw MISMATCH;
      isCanonical = false;
    }
    if (isCanonical && compareUtf8(last, key) > 0) isCanonical = false;
    last = key;
  }
  return isCanonical ? source : copySorted(source, keys);
}

/** Takes the keys from the caller, because listing them costs as much as copying the object. */
function copySorted(source: PlainObject, keys: string[]): PlainObject {
  sortKeys(keys);
  const result: PlainObject = {};
  for (const key of keys) setOwn(result, key, source[key] ?? '');
  return result;
}

function checkedObject(value: unknown): PlainObject {
  if (!isPlainObject(value)) throw MISMATCH;
  return value;
}

function isStringShape(shape: Shape): boolean {
  return shape.kind === 'scalar' && shape.scalar === 'string';
}
