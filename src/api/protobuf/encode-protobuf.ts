import { isSchemaScalar, type PlainObject, type SchemaScalar } from '../json/index.ts';
import type { Field, ListShape, MapShape, Shape, Struct } from '../schema/schema.ts';
import { ENVELOPE_MAGIC } from './magic.ts';
import { ProtobufWriter } from '../../wire/protobuf/index.ts';
import { compareUtf8, unreachable } from '../../base/index.ts';
import { message, scalarBlanks, scalarWriter, type WriteField } from './scalar-writers.ts';

/** Whether objects of the type have a protobuf form; custom resources and tables do not. */
export function travelsInProtobuf(struct: Struct): boolean {
  return struct.fields.some((field) => field.number > 0);
}

/** Encodes a canonical object as a protobuf message: byte by byte what Kubernetes writes. */
export function encodeProtobuf(value: PlainObject, struct: Struct): Uint8Array {
  const writer = new ProtobufWriter();
  encoderOf(struct).write(writer, value);
  return writer.finish();
}

/** The same in the envelope of bodies and stored values, which contains apiVersion and kind. */
export function encodeProtobufEnvelope(value: PlainObject, struct: Struct): Uint8Array {
  const writer = new ProtobufWriter();
  writer.raw(MAGIC);
  writeTypeMeta(writer, value);
  const raw = writer.begin(2);
  encoderOf(struct).write(writer, value);
  writer.end(raw);
  writeContent(writer);
  return writer.finish();
}

/** Wraps an encoded message in an envelope. */
export function wrapProtobuf(
  raw: Uint8Array,
  typeMeta: { readonly apiVersion: string; readonly kind: string },
): Uint8Array {
  const writer = new ProtobufWriter(raw.length + 128);
  writer.raw(MAGIC);
  writeTypeMeta(writer, typeMeta);
  writer.bytes(2, raw);
  writeContent(writer);
  return writer.finish();
}

const MAGIC = Uint8Array.from(ENVELOPE_MAGIC);

function writeTypeMeta(writer: ProtobufWriter, { apiVersion, kind }: PlainObject): void {
  const typeMeta = writer.begin(1);
  writer.string(1, typeof apiVersion === 'string' ? apiVersion : '');
  writer.string(2, typeof kind === 'string' ? kind : '');
  writer.end(typeMeta);
}

/** Content encoding and type are written, and empty. */
function writeContent(writer: ProtobufWriter): void {
  writer.string(3, '');
  writer.string(4, '');
}

const EMPTY: PlainObject = Object.freeze({});

/**
 * Writes the objects of one struct as Kubernetes' generated encoders do: fields by number; values even if they are zero,
 * pointers only if they are set; maps by key. Compiled once per struct, on first use.
 */
class MessageEncoder {
  readonly #fields: readonly ((writer: ProtobufWriter, source: PlainObject) => void)[];

  constructor(struct: Struct) {
    this.#fields = fieldWriters(
      struct.fields.filter((field) => field.number > 0),
      struct,
      0,
    );
  }

  write(writer: ProtobufWriter, source: PlainObject): void {
    for (const write of this.#fields) write(writer, source);
  }
}

const encoders = new WeakMap<Struct, MessageEncoder>();

function encoderOf(struct: Struct): MessageEncoder {
  let encoder = encoders.get(struct);
  if (encoder === undefined) {
    encoder = new MessageEncoder(struct);
    encoders.set(struct, encoder);
  }
  return encoder;
}

/** The fields at `level` of nesting in embedded messages; the same object is the source for all levels. */
function fieldWriters(
  fields: readonly Field[],
  struct: Struct,
  level: number,
): ((writer: ProtobufWriter, source: PlainObject) => void)[] {
  const byNumber = new Map<number, Field[]>();
  for (const field of fields) {
    const number = field.inside[level] ?? field.number;
    byNumber.set(number, [...(byNumber.get(number) ?? []), field]);
  }
  return [...byNumber]
    .sort(([left], [right]) => left - right)
    .map(([number, [field, ...others]]) => {
      if (field === undefined || field.inside.length > level) {
        const inner = fieldWriters(field === undefined ? [] : [field, ...others], struct, level + 1);
        return (writer: ProtobufWriter, source: PlainObject): void => {
          const open = writer.begin(number);
          for (const write of inner) write(writer, source);
          writer.end(open);
        };
      }
      return fieldWriter(field, struct);
    });
}

function fieldWriter(field: Field, struct: Struct): (writer: ProtobufWriter, source: PlainObject) => void {
  const { name } = field;
  const write = shapeWriter(field.shape, field.number, struct);
  const blank = field.presence === 'pointer' ? undefined : blankOf(field.shape);
  return (writer, source) => {
    const value = source[name];
    if (value !== undefined && value !== null) write(writer, value);
    else if (blank !== undefined) write(writer, blank);
  };
}

function blankOf(shape: Shape): unknown {
  if (shape.kind === 'struct') return EMPTY;
  return shape.kind === 'scalar' && !isSchemaScalar(shape.scalar) ? scalarBlanks[shape.scalar] : undefined;
}

function shapeWriter(shape: Shape, number: number, owner: Struct): WriteField {
  switch (shape.kind) {
    case 'scalar':
      return isSchemaScalar(shape.scalar)
        ? schemaWriter(shape.scalar, number, owner)
        : scalarWriter(shape.scalar, number);
    case 'struct':
      return structWriter(shape, number);
    case 'list':
      return listWriter(shape, number, owner);
    case 'map':
      return mapWriter(shape, number, owner);
    default:
      return unreachable(shape);
  }
}

function structWriter(shape: { readonly struct: Struct }, number: number): WriteField {
  let encoder: MessageEncoder | undefined;
  return message(number, (writer, value) => (encoder ??= encoderOf(shape.struct)).write(writer, value as PlainObject));
}

function listWriter(shape: ListShape, number: number, owner: Struct): WriteField {
  const write = shapeWriter(shape.element, shape.isWrapped ? 1 : number, owner);
  const writeAll: WriteField = (writer, value) => {
    for (const item of value as readonly unknown[]) write(writer, item);
  };
  return shape.isWrapped ? message(number, writeAll) : writeAll;
}

function mapWriter(shape: MapShape, number: number, owner: Struct): WriteField {
  const write = shapeWriter(shape.value, 2, owner);
  return (writer, value) => {
    const source = value as PlainObject;
    for (const key of sortedKeys(source)) {
      const open = writer.begin(number);
      writer.string(1, key);
      write(writer, source[key]);
      writer.end(open);
    }
  };
}

/** Canonical maps are sorted, but JavaScript moves keys that look like list indexes to the front. */
function sortedKeys(source: PlainObject): string[] {
  const keys = Object.keys(source);
  const first = keys[0] ?? '';
  return first >= '0' && first <= '9\uffff' ? keys.sort(compareUtf8) : keys;
}

/** A schema, or something simpler, each in another field. Null is neither. */
function schemaWriter(scalar: SchemaScalar, number: number, owner: Struct): WriteField {
  const isBool = scalar === 'JSONSchemaPropsOrBool';
  const writeSchema = structWriter({ struct: owner }, isBool ? 2 : 1);
  const writeItem: WriteField =
    scalar === 'JSONSchemaPropsOrArray' ? structWriter({ struct: owner }, 2) : scalarWriter('string', 2);
  return message(number, (writer, value) => {
    if (isBool) writer.bool(1, value !== false);
    if (Array.isArray(value)) for (const item of value) writeItem(writer, item);
    else if (typeof value === 'object') writeSchema(writer, value);
  });
}
