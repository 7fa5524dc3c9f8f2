import { canonicalizeOwned, type PlainObject, setOwn, type TypeMeta } from '../json/index.ts';
import type { Field, Struct } from '../schema/schema.ts';
import { ENVELOPE_MAGIC } from './magic.ts';
import { malformed, ProtobufReader, WIRE_BYTES, wrongWireType } from '../../wire/protobuf/index.ts';
import { shapeReader, type ValueReader } from './shape-readers.ts';

export interface DecodeProtobufOptions {
  /** Fills in the type's `default` and `fill` values. */
  readonly defaults?: boolean;
  /** apiVersion and kind, which are not part of the message. */
  readonly typeMeta?: TypeMeta;
}

/**
 * Decodes a protobuf message into a canonical object. Unknown field numbers are skipped.
 *
 * Throws a DecodeError, in Kubernetes' words where it has any, if the bytes are not such a message.
 */
export function decodeProtobuf(bytes: Uint8Array, struct: Struct, options: DecodeProtobufOptions = {}): PlainObject {
  const reader = new ProtobufReader(bytes);
  const target: PlainObject = {};
  if (options.typeMeta !== undefined) {
    target['kind'] = options.typeMeta.kind;
    target['apiVersion'] = options.typeMeta.apiVersion;
  }
  decoderOf(struct).read(reader, reader.length, target);
  return canonicalizeOwned(target, struct, { defaults: options.defaults });
}

/** The contents of a protobuf body's envelope. */
export interface ProtobufEnvelope {
  readonly typeMeta: TypeMeta;
  /** The message; a view of the body's bytes, not a copy. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

export function isProtobufEnvelope(bytes: Uint8Array): boolean {
  return ENVELOPE_MAGIC.every((byte, index) => bytes[index] === byte);
}

/** Unwraps a protobuf body or stored value. */
export function openProtobufEnvelope(bytes: Uint8Array): ProtobufEnvelope {
  if (bytes.length === 0) throw malformed('empty data');
  if (!isProtobufEnvelope(bytes)) {
    throw malformed('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  if (bytes.length === ENVELOPE_MAGIC.length) throw malformed('empty body');
  const reader = new ProtobufReader(bytes, ENVELOPE_MAGIC.length);
  let typeMeta: TypeMeta = { apiVersion: '', kind: '' };
  let raw: Uint8Array = new Uint8Array();
  const content = { encoding: '', type: '' };
  while (reader.hasMore(reader.length)) {
    switch (nextField(reader, FIELD_NAMES)) {
      case 1:
        typeMeta = readTypeMeta(reader);
        break;
      case 2:
        raw = reader.bytes();
        break;
      case 3:
        content.encoding = reader.string();
        break;
      case 4:
        content.type = reader.string();
        break;
      default:
    }
  }
  return { typeMeta, raw, contentEncoding: content.encoding, contentType: content.type };
}

const FIELD_NAMES = ['', 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'] as const;
const TYPE_META_NAMES = ['', 'APIVersion', 'Kind'] as const;

function readTypeMeta(reader: ProtobufReader): TypeMeta {
  const end = reader.begin();
  const typeMeta = { apiVersion: '', kind: '' };
  while (reader.hasMore(end)) {
    const number = nextField(reader, TYPE_META_NAMES);
    if (number === 1) typeMeta.apiVersion = reader.string();
    else if (number === 2) typeMeta.kind = reader.string();
  }
  return typeMeta;
}

/** The number of the next field, all of which are bytes; 0 for an unknown field, which is skipped. */
function nextField(reader: ProtobufReader, names: readonly string[]): number {
  const tag = reader.tag();
  const number = tag >>> 3;
  const name = names[number];
  if (name === undefined) {
    reader.skip(tag);
    return 0;
  }
  if ((tag & 7) !== WIRE_BYTES) throw wrongWireType(tag & 7, name);
  return number;
}

/** Reads a field, whose tag has been read, into the object. */
type ReadField = (reader: ProtobufReader, wireType: number, target: PlainObject) => void;

/**
 * Reads the objects of one struct into plain objects that are not canonical yet: only the fields in the message, in its
 * order. Compiled once per struct, on first use.
 */
class MessageDecoder {
  readonly #fields: readonly (ReadField | undefined)[];

  constructor(struct: Struct) {
    this.#fields = fieldReaders(
      struct.fields.filter((field) => field.number > 0),
      struct,
      0,
    );
  }

  read(reader: ProtobufReader, end: number, target: PlainObject): PlainObject {
    reader.enter();
    readFields(this.#fields, reader, { end, target });
    reader.leave();
    return target;
  }
}

const decoders = new WeakMap<Struct, MessageDecoder>();

function decoderOf(struct: Struct): MessageDecoder {
  let decoder = decoders.get(struct);
  if (decoder === undefined) {
    decoder = new MessageDecoder(struct);
    decoders.set(struct, decoder);
  }
  return decoder;
}

function readFields(
  fields: readonly (ReadField | undefined)[],
  reader: ProtobufReader,
  { end, target }: { readonly end: number; readonly target: PlainObject },
): void {
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    const read = fields[tag >>> 3];
    if (read === undefined) reader.skip(tag);
    else read(reader, tag & 7, target);
  }
}

/** Readers by field number, at `level` of nesting in embedded messages; all levels read into the same object. */
function fieldReaders(fields: readonly Field[], struct: Struct, level: number): (ReadField | undefined)[] {
  const readers: (ReadField | undefined)[] = [];
  const embedded = new Map<number, Field[]>();
  for (const field of fields) {
    const outer = field.inside[level];
    if (outer === undefined) readers[field.number] = fieldReader(field, shapeReader(field.shape, struct, decoderOf));
    else embedded.set(outer, [...(embedded.get(outer) ?? []), field]);
  }
  for (const [number, inner] of embedded) {
    const innerReaders = fieldReaders(inner, struct, level + 1);
    readers[number] = (reader, wireType, target) => {
      if (wireType !== EMBEDDED_WIRE_TYPE) throw wrongWireType(wireType, String(number));
      readFields(innerReaders, reader, { end: reader.begin(), target });
    };
  }
  return readers;
}

const EMBEDDED_WIRE_TYPE = 2;

function fieldReader({ name }: Field, value: ValueReader): ReadField {
  const goName = name.charAt(0).toUpperCase() + name.slice(1);
  const isInherited = name in Object.prototype;
  return (reader, wireType, target) => {
    if (wireType !== value.wireType && wireType !== value.packedWireType) throw wrongWireType(wireType, goName);
    const before = isInherited && !Object.hasOwn(target, name) ? undefined : target[name];
    setOwn(target, name, value.read(reader, before, wireType));
  };
}
