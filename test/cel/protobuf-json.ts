// The values and types of the public suite, which come as protobuf messages in JSON, as ours.
import { parseGoDuration } from '../../src/base/index.ts';
import {
  ANY,
  BOOL,
  BYTES,
  checkedInt,
  DOUBLE,
  Double,
  Duration,
  DURATION,
  DYN,
  fromJson,
  INT,
  listOf,
  mapOf,
  MapValue,
  NULL,
  nullable,
  objectType,
  opaqueType,
  parseTimestamp,
  STRING,
  TIMESTAMP,
  Type,
  typeOfType,
  typeParameter,
  UINT,
  Uint,
  type Value,
} from '../../src/cel/index.ts';

/** A message or part of one. */
export type Json = Readonly<Record<string, unknown>>;

/** What cannot be had without protobuf messages. */
export class NeedsMessages extends Error {
  override readonly name = 'NeedsMessages';
}

/** A cel.expr.Value. */
export function valueOf(message: Json): Value {
  const [kind, content] = Object.entries(message)[0] ?? ['nullValue', null];
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return content as boolean | string;
    case 'int64Value':
      return checkedInt(BigInt(content as string));
    case 'uint64Value':
      return new Uint(BigInt(content as string));
    case 'doubleValue':
      return new Double(Number(content));
    case 'bytesValue':
      return new Uint8Array(Buffer.from(content as string, 'base64'));
    case 'typeValue':
      return new Type('opaque', content as string); // values that are types are equal when their names are
    case 'listValue':
      return (((content as Json)['values'] as readonly Json[] | undefined) ?? []).map((value) => valueOf(value));
    case 'mapValue':
      return mapValueOf(((content as Json)['entries'] as readonly Json[] | undefined) ?? []);
    case 'objectValue':
      return anyOf(content as Json);
    default:
      throw new NeedsMessages(kind);
  }
}

function mapValueOf(entries: readonly Json[]): Value {
  const map = new MapValue();
  for (const { key, value } of entries) map.set(valueOf(key as Json), valueOf(value as Json));
  return map;
}

const WRAPPED: Readonly<Record<string, string>> = {
  BoolValue: 'boolValue',
  BytesValue: 'bytesValue',
  DoubleValue: 'doubleValue',
  FloatValue: 'doubleValue',
  Int32Value: 'int64Value',
  Int64Value: 'int64Value',
  StringValue: 'stringValue',
  UInt32Value: 'uint64Value',
  UInt64Value: 'uint64Value',
};

/** A google.protobuf.Any with one of the messages that are plain values. */
function anyOf({ '@type': url, value }: Json): Value {
  const name = String(url).replace(/^.*[/]/, '');
  const short = name.replace(/^google\.protobuf\./, '');
  const wrapped = WRAPPED[short];
  if (wrapped !== undefined) return valueOf({ [wrapped]: value });
  switch (short) {
    case 'Duration':
      return new Duration(parseGoDuration(value as string));
    case 'Timestamp':
      return parseTimestamp(value as string) as Value;
    case 'Struct':
    case 'ListValue':
    case 'Value':
      return jsonValue(value);
    default:
      throw new NeedsMessages(name);
  }
}

/** JSON inside protobuf has doubles only. */
function jsonValue(value: unknown): Value {
  if (typeof value === 'number') return new Double(value);
  if (Array.isArray(value)) return value.map((each) => jsonValue(each));
  if (typeof value !== 'object' || value === null) return fromJson(value);
  const map = new MapValue();
  for (const [key, each] of Object.entries(value)) map.set(key, jsonValue(each));
  return map;
}

const PRIMITIVES: Readonly<Record<string, Type>> = {
  BOOL,
  BYTES,
  DOUBLE,
  INT64: INT,
  STRING,
  UINT64: UINT,
};

/** A cel.expr.Type. */
export function typeOfMessage(message: Json): Type {
  const [kind, content] = Object.entries(message)[0] ?? ['dyn', {}];
  switch (kind) {
    case 'null':
      return NULL;
    case 'dyn':
      return DYN;
    case 'primitive':
      return PRIMITIVES[content as string] ?? DYN;
    case 'wrapper':
      return nullable(PRIMITIVES[content as string] ?? DYN);
    case 'wellKnown':
      return content === 'ANY' ? ANY : content === 'DURATION' ? DURATION : TIMESTAMP;
    case 'listType':
      return listOf(typeOfMessage(((content as Json)['elemType'] ?? {}) as Json));
    case 'mapType': {
      const { keyType = {}, valueType = {} } = content as Record<string, Json>;
      return mapOf(typeOfMessage(keyType), typeOfMessage(valueType));
    }
    case 'messageType':
      return content === DURATION.name
        ? DURATION
        : content === TIMESTAMP.name
          ? TIMESTAMP
          : objectType(content as string);
    case 'typeParam':
      return typeParameter(content as string);
    case 'type':
      return typeOfType(typeOfMessage(content as Json));
    case 'abstractType': {
      const { name = '', parameterTypes = [] } = content as { name?: string; parameterTypes?: readonly Json[] };
      return opaqueType(name, ...parameterTypes.map((each) => typeOfMessage(each)));
    }
    default:
      throw new NeedsMessages(kind);
  }
}
