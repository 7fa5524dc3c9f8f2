import type { Constraints, ListShape, ScalarName, Shape as Place, Struct } from '../../api/index.ts';
import { decodeBase64, ValueError } from '../../api/values/index.ts';
import type { Shape, ShapeField } from '../evaluate/shape.ts';
import { CelError, Double, Duration, Timestamp, type Value } from '../values/index.ts';
import { reservedWords } from '../syntax/operators.ts';
import { escapeName, unescapeName } from './escape.ts';
import { seenFields } from './seen-fields.ts';
import { parseDate, parseDateTime, parseLenientDuration } from './string-formats.ts';
import { type EntryShapes, PreservedValue, TypedMap } from './typed-map.ts';
import { MapList, SetList, TypedList } from './typed-list.ts';

/** How data is read in expressions. */
export function schemaShape(place: Place): Shape {
  const shape = shapeFor(place);
  const isNullable = place.constraints?.nullable === true;
  return {
    ...shape,
    convert(raw) {
      if (raw !== null && raw !== undefined) return shape.convert(raw);
      return isNullable ? null : new CelError('invalid data, got null for schema with nullable=false');
    },
  };
}

function shapeFor(place: Place): Shape {
  switch (place.kind) {
    case 'struct':
      return objectShape(fieldEntries(place.struct));
    case 'map': {
      const entry = lazy(place.value);
      return objectShape({ hasFields: false, shapeOf: () => entry }, entry);
    }
    case 'list':
      return arrayShape(place);
    case 'scalar':
      return scalarShape(place.scalar, place.constraints);
  }
}

function scalarShape(scalar: ScalarName, { format, preservesUnknown }: Constraints = {}): Shape {
  switch (scalar) {
    case 'IntOrString':
      return intOrString;
    case 'string':
      return { convert: (raw) => (typeof raw === 'string' ? convertText(raw, format) : wrong('string', raw)) };
    case 'double':
      return {
        convert: (raw) =>
          typeof raw === 'number' || typeof raw === 'bigint' ? new Double(Number(raw)) : wrong('float', raw),
      };
    case 'int32':
    case 'int64':
      return {
        convert: (raw) => (Number.isSafeInteger(raw) || typeof raw === 'bigint' ? (raw as Value) : wrong('int', raw)),
      };
    case 'bool':
      return { convert: (raw) => (typeof raw === 'boolean' ? raw : wrong('bool', raw)) };
    default:
      return preservesUnknown === true ? preserved : untyped;
  }
}

const preserved: Shape = { convert: (raw) => new PreservedValue(raw) };

const intOrString: Shape = {
  convert(raw) {
    if (typeof raw === 'string' || Number.isSafeInteger(raw) || typeof raw === 'bigint') return raw as Value;
    return new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  },
};

const UNTYPED =
  'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ';
const untyped: Shape = { convert: () => new CelError(UNTYPED) };

function wrong(expected: string, raw: unknown): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(raw)}`);
}

/** The Go type that a piece of JSON decodes to. */
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

/** Kubernetes decodes these with the URL-safe alphabet. */
function convertBytes(text: string): Value {
  const wrongAt = text.search(/[^A-Za-z0-9_=\r\n-]/);
  if (wrongAt >= 0)
    return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrongAt}`);
  const bytes = decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes instanceof ValueError ? new CelError(`Invalid byte formatted string ${text}: ${bytes.message}`) : bytes;
}

function arrayShape({ element, listType, keys = [] }: ListShape): Shape {
  const item = lazy(element);
  const escaped = keys.map((key) => escapeName(key) ?? key);
  const make = (raw: readonly unknown[]): Value => {
    if (listType === 'map') return new MapList(raw, item, escaped);
    return listType === 'set' ? new SetList(raw, item) : new TypedList(raw, item);
  };
  const mismatch = 'invalid data, expected an array for the provided schema with type=array';
  return { item, convert: (raw) => (Array.isArray(raw) ? make(raw as readonly unknown[]) : new CelError(mismatch)) };
}

function objectShape(entries: EntryShapes, entry?: Shape): Shape {
  const mismatch = 'invalid data, expected a map for the provided schema with type=object';
  const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
    typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  const convert = (raw: unknown): Value => (isObject(raw) ? new TypedMap(raw, entries) : new CelError(mismatch));
  if (entries.hasFields) return { convert, field: (name) => fieldOf(entries, name) };
  return entry === undefined ? { convert } : { convert, entry };
}

/** The field for a name in expressions; a reserved word may be escaped or not. */
function fieldOf(entries: EntryShapes, name: string): ShapeField | undefined {
  const key = reservedWords.has(name) ? name : unescapeName(name);
  const shape = key === undefined ? undefined : entries.shapeOf(key);
  return shape === undefined ? undefined : { key: key as string, shape };
}

function fieldEntries(struct: Struct): EntryShapes {
  const fields = new Map(seenFields(struct).map((field) => [field.name, field.shape]));
  const shapes = new Map<string, Shape>();
  return {
    hasFields: fields.size > 0,
    shapeOf(key) {
      const known = shapes.get(key);
      if (known !== undefined) return known;
      const place = fields.get(key);
      if (place === undefined) return undefined;
      const shape = schemaShape(place);
      shapes.set(key, shape);
      return shape;
    },
  };
}

/** A shape that is created when first needed. */
function lazy(place: Place): Shape {
  let made: Shape | undefined;
  const shape = (): Shape => (made ??= schemaShape(place));
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
