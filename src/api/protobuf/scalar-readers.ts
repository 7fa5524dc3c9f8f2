import { formatGoDuration } from '../../base/index.ts';
import { parseUntyped } from '../json/index.ts';
import type { ScalarName } from '../schema/schema.ts';
import { encodeBase64, formatMicroTime, formatTime } from '../values/index.ts';
import { ENVELOPE_MAGIC } from './magic.ts';
import {
  malformed,
  type ProtobufReader,
  wrongWireType,
  WIRE_BYTES,
  WIRE_FIXED64,
  WIRE_VARINT,
} from '../../wire/protobuf/index.ts';

/** Reads one value, whose tag has been read. */
export interface ScalarReader {
  readonly wireType: number;
  readonly read: (reader: ProtobufReader) => unknown;
}

type PlainScalar = Exclude<ScalarName, `JSONSchemaPropsOr${string}`>;

export const scalarReaders: Readonly<Record<PlainScalar, ScalarReader>> = {
  string: { wireType: WIRE_BYTES, read: (reader) => reader.string() },
  int32: { wireType: WIRE_VARINT, read: (reader) => reader.int32() },
  int64: { wireType: WIRE_VARINT, read: (reader) => reader.int64() },
  bool: { wireType: WIRE_VARINT, read: (reader) => reader.bool() },
  double: { wireType: WIRE_FIXED64, read: readDouble },
  bytes: { wireType: WIRE_BYTES, read: (reader) => encodeBase64(reader.bytes()) },
  Quantity: { wireType: WIRE_BYTES, read: readQuantity },
  Time: { wireType: WIRE_BYTES, read: (reader) => readInstant(reader, (seconds) => formatTime({ seconds, nanos: 0 })) },
  MicroTime: {
    wireType: WIRE_BYTES,
    read: (reader) => readInstant(reader, (seconds, nanos) => formatMicroTime({ seconds, nanos })),
  },
  Duration: { wireType: WIRE_BYTES, read: readDuration },
  IntOrString: { wireType: WIRE_BYTES, read: readIntOrString },
  JSON: { wireType: WIRE_BYTES, read: readRaw },
  RawExtension: { wireType: WIRE_BYTES, read: readRaw },
  FieldsV1: { wireType: WIRE_BYTES, read: readRaw },
};

type FieldReaders = Readonly<Record<number, ScalarReader & { readonly name: string }>>;

/** Reads a message whose fields are scalars; of duplicate fields the last one wins. */
function readFields(reader: ProtobufReader, readers: FieldReaders): Record<string, unknown> | undefined {
  const end = reader.begin();
  if (!reader.hasMore(end)) return undefined;
  const fields: Record<string, unknown> = {};
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    const field = readers[tag >>> 3];
    if (field === undefined) {
      reader.skip(tag);
      continue;
    }
    if ((tag & 7) !== field.wireType) throw wrongWireType(tag & 7, field.name);
    fields[field.name] = field.read(reader);
  }
  return fields;
}

const int32 = { wireType: WIRE_VARINT, read: (reader: ProtobufReader) => reader.int32() };
const int64 = { wireType: WIRE_VARINT, read: (reader: ProtobufReader) => reader.int64() };
const text = { wireType: WIRE_BYTES, read: (reader: ProtobufReader) => reader.string() };
const bytes = { wireType: WIRE_BYTES, read: (reader: ProtobufReader) => reader.bytes() };

const QUANTITY: FieldReaders = { 1: { name: 'String_', ...text } };
const TIMESTAMP: FieldReaders = { 1: { name: 'Seconds', ...int64 }, 2: { name: 'Nanos', ...int32 } };
const DURATION: FieldReaders = { 1: { name: 'Duration', ...int64 } };
const INT_OR_STRING: FieldReaders = {
  1: { name: 'Type', ...int64 },
  2: { name: 'IntVal', ...int32 },
  3: { name: 'StrVal', ...text },
};
const RAW: FieldReaders = { 1: { name: 'Raw', ...bytes } };

function readDouble(reader: ProtobufReader): number {
  const value = reader.double();
  if (!Number.isFinite(value)) throw malformed(`json: unsupported value: ${value}`);
  return value;
}

function readQuantity(reader: ProtobufReader): unknown {
  return readFields(reader, QUANTITY)?.['String_'] ?? null;
}

/** The last printable moment, in seconds from the epoch; the first is its negative. */
const LAST_SECOND = 8_640_000_000_000;

/** An empty message is the zero time. */
function readInstant(reader: ProtobufReader, format: (seconds: number, nanos: number) => string): unknown {
  const fields = readFields(reader, TIMESTAMP);
  if (fields === undefined) return null;
  const seconds = Number(fields['Seconds'] ?? 0);
  if (Math.abs(seconds) >= LAST_SECOND) throw malformed(`proto: ${seconds} seconds are beyond all times`);
  const nanos = Number(fields['Nanos'] ?? 0);
  const carried = Math.floor(nanos / 1e9);
  return format(seconds + carried, nanos - carried * 1e9);
}

function readDuration(reader: ProtobufReader): string {
  return formatGoDuration(BigInt((readFields(reader, DURATION)?.['Duration'] as number | bigint | undefined) ?? 0));
}

function readIntOrString(reader: ProtobufReader): unknown {
  const fields = readFields(reader, INT_OR_STRING);
  switch (fields?.['Type'] ?? 0) {
    case 0:
      return fields?.['IntVal'] ?? 0;
    case 1:
      return fields?.['StrVal'] ?? '';
    default:
      throw malformed('impossible IntOrString.Type');
  }
}

/** JSON; a RawExtension may also hold an object in protobuf, which is kept as bytes. */
function readRaw(reader: ProtobufReader): unknown {
  const raw = readFields(reader, RAW)?.['Raw'] as Uint8Array | undefined;
  if (raw === undefined || raw.length === 0) return null;
  const isProtobuf = ENVELOPE_MAGIC.every((byte, index) => raw[index] === byte);
  return isProtobuf ? Uint8Array.from(raw) : parseUntyped(raw);
}
