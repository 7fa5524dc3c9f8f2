import { decodeBase64, ValueError } from '../../api/values/index.ts';
import type { Shape, ShapeField } from '../evaluate/shape.ts';
import { CelError, Double, Duration, Timestamp, type Value } from '../values/index.ts';
import { reservedWords } from '../syntax/operators.ts';
import { escapeName, unescapeName } from './escape.ts';
import { entriesOf, isEmbedded, itemsOf, propertiesOf, type Schema, withResourceFields } from './schema.ts';
import { parseDate, parseDateTime, parseLenientDuration } from './string-formats.ts';
import { type EntryShapes, PreservedValue, TypedMap } from './typed-map.ts';
import { MapList, SetList, TypedList } from './typed-list.ts';

/** How data of a schema is read in expressions. The root of a resource has its metadata's name in any case. */
export function schemaShape(schema: Schema, isResourceRoot = false): Shape {
  const complete = isResourceRoot ? withResourceFields(schema) : schema;
  const shape = shapeFor(complete);
  const isNullable = complete.nullable === true;
  return {
    ...shape,
    convert(raw) {
      if (raw !== null && raw !== undefined) return shape.convert(raw);
      return isNullable ? null : new CelError('invalid data, got null for schema with nullable=false');
    },
  };
}

function shapeFor(schema: Schema): Shape {
  if (schema['x-kubernetes-int-or-string'] === true) return intOrString;
  switch (schema.type) {
    case 'object':
      return objectShape(isEmbedded(schema) ? withResourceFields(schema) : schema);
    case 'array':
      return arrayShape(schema);
    case 'string':
      return { convert: (raw) => (typeof raw === 'string' ? convertText(raw, schema.format) : wrong('string', raw)) };
    case 'number':
      return {
        convert: (raw) =>
          typeof raw === 'number' || typeof raw === 'bigint' ? new Double(Number(raw)) : wrong('float', raw),
      };
    case 'integer':
      return {
        convert: (raw) => (Number.isSafeInteger(raw) || typeof raw === 'bigint' ? (raw as Value) : wrong('int', raw)),
      };
    case 'boolean':
      return { convert: (raw) => (typeof raw === 'boolean' ? raw : wrong('bool', raw)) };
    default:
      return schema['x-kubernetes-preserve-unknown-fields'] === true ? preserved : untyped(schema.type ?? '');
  }
}

const preserved: Shape = { convert: (raw) => new PreservedValue(raw) };

const intOrString: Shape = {
  convert(raw) {
    if (typeof raw === 'string' || Number.isSafeInteger(raw) || typeof raw === 'bigint') return raw as Value;
    return new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  },
};

function untyped(type: string): Shape {
  const message = `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${type}`;
  return { convert: () => new CelError(message) };
}

function wrong(expected: string, raw: unknown): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(raw)}`);
}

/** What Go decodes a piece of JSON to. */
function goTypeOf(raw: unknown): string {
  switch (typeof raw) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(raw) ? 'int64' : 'float64';
    default:
      if (raw instanceof Timestamp) return 'time.Time';
      if (raw instanceof Duration) return 'time.Duration';
      if (raw instanceof Uint8Array) return '[]uint8';
      return Array.isArray(raw) ? '[]interface {}' : 'map[string]interface {}';
  }
}

function convertText(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration':
      return (
        parseLenientDuration(text) ?? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
      );
    case 'date':
      return parseDate(text) ?? new CelError(`Invalid date formatted string ${text}: it is no date`);
    case 'date-time':
      return parseDateTime(text) ?? new CelError(`Invalid date-time formatted string ${text}: it is no date and time`);
    case 'byte':
      return convertBytes(text);
    default:
      return text;
  }
}

/** Kubernetes reads these with the alphabet for URLs. */
function convertBytes(text: string): Value {
  const wrongAt = text.search(/[^A-Za-z0-9_=\r\n-]/);
  if (wrongAt >= 0)
    return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrongAt}`);
  const bytes = decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes instanceof ValueError ? new CelError(`Invalid byte formatted string ${text}: ${bytes.message}`) : bytes;
}

function arrayShape(schema: Schema): Shape {
  const items = itemsOf(schema);
  if (items === undefined)
    return { convert: () => new CelError('invalid array type, expected Items with a non-empty Schema') };
  const item = lazy(items);
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key);
  const listType = schema['x-kubernetes-list-type'];
  const make = (raw: readonly unknown[]): Value => {
    if (listType === 'map') return new MapList(raw, item, keys);
    return listType === 'set' ? new SetList(raw, item) : new TypedList(raw, item);
  };
  const mismatch = 'invalid data, expected an array for the provided schema with type=array';
  return { item, convert: (raw) => (Array.isArray(raw) ? make(raw as readonly unknown[]) : new CelError(mismatch)) };
}

function objectShape(schema: Schema): Shape {
  const properties = propertiesOf(schema);
  const entries = properties === undefined ? mapEntries(schema) : fieldEntries(properties);
  const mismatch = 'invalid data, expected a map for the provided schema with type=object';
  const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
    typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  const convert = (raw: unknown): Value => (isObject(raw) ? new TypedMap(raw, entries) : new CelError(mismatch));
  if (!entries.hasFields) {
    const entry = entriesOf(schema);
    return entry === undefined ? { convert } : { convert, entry: lazy(entry) };
  }
  return { convert, field: (name) => fieldOf(entries, name) };
}

/** The field that an expression calls by a name, escaped or, if it is a reserved word, not. */
function fieldOf(entries: EntryShapes, name: string): ShapeField | undefined {
  const key = reservedWords.has(name) ? name : unescapeName(name);
  const shape = key === undefined ? undefined : entries.shapeOf(key);
  return shape === undefined ? undefined : { key: key as string, shape };
}

function fieldEntries(properties: Readonly<Record<string, Schema>>): EntryShapes {
  const shapes = new Map<string, Shape>();
  return {
    hasFields: true,
    shapeOf(key) {
      const known = shapes.get(key);
      if (known !== undefined) return known;
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property === undefined) return undefined;
      const shape = schemaShape(property);
      shapes.set(key, shape);
      return shape;
    },
  };
}

function mapEntries(schema: Schema): EntryShapes {
  const entry = entriesOf(schema);
  const shape = entry === undefined ? undefined : lazy(entry);
  return { hasFields: false, shapeOf: () => shape };
}

/** A shape that is made when it is first needed. */
function lazy(schema: Schema): Shape {
  let made: Shape | undefined;
  const shape = (): Shape => (made ??= schemaShape(schema));
  return {
    convert: (raw) => shape().convert(raw),
    field: (name) => shape().field?.(name),
    get item() {
      return shape().item;
    },
    get entry() {
      return shape().entry;
    },
  };
}
