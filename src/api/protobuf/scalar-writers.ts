import { parseGoDuration, unreachable } from '../../base/index.ts';
import { encodeJson } from '../json/index.ts';
import type { ScalarName } from '../schema/schema.ts';
import { decodeBase64, type Instant, isZeroInstant, parseMicroTime, parseTime, ValueError } from '../values/index.ts';
import type { ProtobufWriter } from '../../wire/protobuf/index.ts';

/** Writes a field including its tag. The value is canonical and not null. */
export type WriteField = (writer: ProtobufWriter, value: unknown) => void;

type PlainScalar = Exclude<ScalarName, `JSONSchemaPropsOr${string}`>;

export function scalarWriter(scalar: PlainScalar, number: number): WriteField {
  switch (scalar) {
    case 'string':
      return (writer, value) => writer.string(number, value as string);
    case 'int32':
    case 'int64':
      return (writer, value) => writer.int64(number, value as number | bigint);
    case 'bool':
      return (writer, value) => writer.bool(number, value as boolean);
    case 'double':
      return (writer, value) => writer.double(number, value as number);
    case 'bytes':
      return (writer, value) => writer.bytes(number, checked(decodeBase64(value as string)));
    case 'Quantity':
      return message(number, (writer, value) => writer.string(1, value as string));
    case 'Time':
      return message(number, (writer, value) => writeInstant(writer, checked(parseTime(value as string)), 0));
    case 'MicroTime':
      return message(number, (writer, value) => {
        const instant = checked(parseMicroTime(value as string));
        writeInstant(writer, instant, instant.nanos);
      });
    case 'Duration':
      return message(number, (writer, value) => writer.int64(1, parseGoDuration(value as string)));
    case 'IntOrString':
      return message(number, writeIntOrString);
    case 'JSON':
    case 'RawExtension':
    case 'FieldsV1':
      return message(number, writeRaw);
    default:
      return unreachable(scalar);
  }
}

/** The values of an unset field; undefined where Go writes no bytes either. */
export const scalarBlanks: Readonly<Record<PlainScalar, unknown>> = {
  string: '',
  int32: 0,
  int64: 0,
  bool: false,
  double: 0,
  bytes: undefined,
  Quantity: '0',
  Time: null,
  MicroTime: null,
  Duration: '0s',
  IntOrString: 0,
  JSON: null,
  RawExtension: null,
  FieldsV1: null,
};

/** A message around what `write` writes; null is an empty one. */
export function message(number: number, write: WriteField): WriteField {
  return (writer, value) => {
    const open = writer.begin(number);
    if (value !== null) write(writer, value);
    writer.end(open);
  };
}

/** The zero time is an empty message. */
function writeInstant(writer: ProtobufWriter, instant: Instant, nanos: number): void {
  if (isZeroInstant({ seconds: instant.seconds, nanos: instant.nanos })) return;
  writer.int64(1, instant.seconds);
  writer.int64(2, nanos);
}

function writeIntOrString(writer: ProtobufWriter, value: unknown): void {
  const isString = typeof value === 'string';
  writer.int64(1, isString ? 1 : 0);
  writer.int64(2, isString ? 0 : (value as number));
  writer.string(3, isString ? value : '');
}

/** JSON text or, in a RawExtension, encoded bytes. */
function writeRaw(writer: ProtobufWriter, value: unknown): void {
  if (value instanceof Uint8Array) writer.bytes(1, value);
  else writer.string(1, encodeJson(value));
}

function checked<T>(value: T | ValueError): T {
  if (value instanceof ValueError) throw value;
  return value;
}
