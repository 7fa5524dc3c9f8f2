import { unreachable } from '../../base/index.ts';
import { isSchemaScalar, type PlainObject, setOwn } from '../json/index.ts';
import type { ListShape, MapShape, ScalarName, Shape, Struct } from '../schema/schema.ts';
import { type ProtobufReader, wrongWireType, WIRE_BYTES, WIRE_VARINT } from '../../wire/protobuf/index.ts';
import { scalarReaders } from './scalar-readers.ts';

/** Reads a value whose tag has been read, and adds it to or replaces an earlier one of the same field. */
export interface ValueReader {
  readonly wireType: number;
  /** Lists of numbers may also be packed. */
  readonly packedWireType?: number;
  readonly read: (reader: ProtobufReader, before: unknown, wireType: number) => unknown;
}

/** Finds the decoder of a struct; called with the first value, because types may be recursive. */
export type StructDecoders = (struct: Struct) => {
  read(reader: ProtobufReader, end: number, target: PlainObject): PlainObject;
};

export function shapeReader(shape: Shape, owner: Struct, decoders: StructDecoders): ValueReader {
  switch (shape.kind) {
    case 'scalar':
      return scalarReader(shape.scalar, owner, decoders);
    case 'struct':
      return structReader(shape, decoders);
    case 'list':
      return listReader(shape, shapeReader(shape.element, owner, decoders));
    case 'map':
      return mapReader(shape, shapeReader(shape.value, owner, decoders));
    default:
      return unreachable(shape);
  }
}

function scalarReader(scalar: ScalarName, owner: Struct, decoders: StructDecoders): ValueReader {
  if (!isSchemaScalar(scalar)) return scalarReaders[scalar];
  return schemaReader(scalar, structReader({ struct: owner }, decoders));
}

function structReader(shape: { readonly struct: Struct }, decoders: StructDecoders): ValueReader {
  let decoder: ReturnType<StructDecoders> | undefined;
  return {
    wireType: WIRE_BYTES,
    read: (reader, before) => {
      decoder ??= decoders(shape.struct);
      return decoder.read(reader, reader.begin(), (before as PlainObject | undefined) ?? {});
    },
  };
}

function listReader(shape: ListShape, element: ValueReader): ValueReader {
  if (shape.isWrapped) return wrappedReader(element);
  return {
    wireType: element.wireType,
    packedWireType: element.wireType === WIRE_BYTES ? undefined : WIRE_BYTES,
    read: (reader, before, wireType) => {
      const list = (before as unknown[] | undefined) ?? [];
      if (wireType === element.wireType) {
        list.push(element.read(reader, undefined, wireType));
        return list;
      }
      const end = reader.begin();
      while (reader.hasMore(end)) list.push(element.read(reader, undefined, WIRE_VARINT));
      return list;
    },
  };
}

/** A list that is a message with the elements as field 1. */
function wrappedReader(element: ValueReader): ValueReader {
  return {
    wireType: WIRE_BYTES,
    read: (reader, before) => {
      const list = (before as unknown[] | undefined) ?? [];
      readMessage(reader, { 1: (item, wireType) => list.push(element.read(item, undefined, wireType)) });
      return list;
    },
  };
}

/** Entries are messages with the key as field 1 and the value as field 2. */
function mapReader(_shape: MapShape, element: ValueReader): ValueReader {
  return {
    wireType: WIRE_BYTES,
    read: (reader, before) => {
      const map = (before as PlainObject | undefined) ?? {};
      let key = '';
      let value: unknown = null;
      readMessage(reader, {
        1: (entry) => {
          key = entry.string();
        },
        2: (entry, wireType) => {
          value = element.read(entry, value ?? undefined, wireType);
        },
      });
      setOwn(map, key, value);
      return map;
    },
  };
}

/** A schema in one field, something simpler in another. Neither means null, and false for a bool. */
function schemaReader(scalar: ScalarName, schema: ValueReader): ValueReader {
  const isBool = scalar === 'JSONSchemaPropsOrBool';
  return {
    wireType: WIRE_BYTES,
    read: (reader) => {
      let whole: unknown = null;
      let allows = false;
      const items: unknown[] = [];
      const readSchema = (inner: ProtobufReader, wireType: number): void => {
        whole = schema.read(inner, whole ?? undefined, wireType);
      };
      const readItem = (inner: ProtobufReader, wireType: number): void => {
        items.push(scalar === 'JSONSchemaPropsOrArray' ? schema.read(inner, undefined, wireType) : inner.string());
      };
      const readBool = (inner: ProtobufReader): void => {
        allows = inner.bool();
      };
      readMessage(reader, isBool ? { 1: readBool, 2: readSchema } : { 1: readSchema, 2: readItem }, isBool ? 1 : 0);
      if (items.length > 0) return items;
      return whole ?? (isBool ? allows : null);
    },
  };
}

type SmallMessage = Readonly<Record<number, (reader: ProtobufReader, wireType: number) => void>>;

/** Reads a small message; all its fields are bytes, except the one with the number `varint`. */
function readMessage(reader: ProtobufReader, fields: SmallMessage, varint = 0): void {
  const end = reader.begin();
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    const number = tag >>> 3;
    const read = fields[number];
    if (read === undefined) {
      reader.skip(tag);
      continue;
    }
    if ((tag & 7) !== (number === varint ? WIRE_VARINT : WIRE_BYTES)) throw wrongWireType(tag & 7, String(number));
    read(reader, tag & 7);
  }
}
