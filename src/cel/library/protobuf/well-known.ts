import type { TypeProvider } from '../check/type-provider.ts';
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  nullable,
  objectType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../types/index.ts';
import { CelError, Double, Duration, fromJson, MapValue, Timestamp, Uint, type Value } from '../values/index.ts';

const PREFIX = 'google.protobuf.';
const LIST_OF_VALUES = listOf(DYN);
const STRUCT = mapOf(STRING, DYN);

interface WellKnown {
  readonly type: Type;
  readonly fields: Readonly<Record<string, Type>>;
  create(fields: ReadonlyMap<string, Value>): Value;
}

function wrapper(of: Type, zero: Value): WellKnown {
  return { type: nullable(of), fields: { value: of }, create: (fields) => fields.get('value') ?? zero };
}

function seconds(fields: ReadonlyMap<string, Value>): { readonly whole: bigint; readonly nanos: bigint } {
  return {
    whole: BigInt((fields.get('seconds') ?? 0) as number | bigint),
    nanos: BigInt((fields.get('nanos') ?? 0) as number | bigint),
  };
}

const TIME_FIELDS = { seconds: INT, nanos: INT };
const VALUE_FIELDS = {
  null_value: NULL,
  number_value: DOUBLE,
  string_value: STRING,
  bool_value: BOOL,
  struct_value: STRUCT,
  list_value: LIST_OF_VALUES,
};

/** The messages that come with protobuf. They become ordinary values as soon as they are made. */
const wellKnown: ReadonlyMap<string, WellKnown> = new Map<string, WellKnown>([
  [
    'Any',
    {
      type: ANY,
      fields: { type_url: STRING, value: BYTES },
      create: () => new CelError('conversion error: got invalid Any message type'),
    },
  ],
  ['BoolValue', wrapper(BOOL, false)],
  ['BytesValue', wrapper(BYTES, new Uint8Array())],
  ['DoubleValue', wrapper(DOUBLE, new Double(0))],
  [
    'Duration',
    {
      type: DURATION,
      fields: TIME_FIELDS,
      create: (fields) => new Duration(seconds(fields).whole * 1_000_000_000n + seconds(fields).nanos),
    },
  ],
  ['Empty', { type: objectType(`${PREFIX}Empty`), fields: {}, create: () => new MapValue() }],
  ['FloatValue', wrapper(DOUBLE, new Double(0))],
  ['Int32Value', wrapper(INT, 0)],
  ['Int64Value', wrapper(INT, 0)],
  [
    'ListValue',
    { type: LIST_OF_VALUES, fields: { values: LIST_OF_VALUES }, create: (fields) => fields.get('values') ?? [] },
  ],
  ['NullValue', { type: NULL, fields: {}, create: () => null }],
  ['StringValue', wrapper(STRING, '')],
  ['Struct', { type: STRUCT, fields: { fields: STRUCT }, create: (fields) => fields.get('fields') ?? new MapValue() }],
  [
    'Timestamp',
    {
      type: TIMESTAMP,
      fields: TIME_FIELDS,
      create: (fields) =>
        new Timestamp({ seconds: Number(seconds(fields).whole), nanos: Number(seconds(fields).nanos) }),
    },
  ],
  ['UInt32Value', wrapper(UINT, new Uint(0n))],
  ['UInt64Value', wrapper(UINT, new Uint(0n))],
  ['Value', { type: DYN, fields: VALUE_FIELDS, create: (fields) => fromJson([...fields.values()][0]) }],
]);

/** Finds the messages by their full names. */
export const wellKnownTypes: TypeProvider = {
  findType: (name) => find(name)?.type,
  findField: (typeName, field) => find(typeName)?.fields[field],
  create: (typeName, fields) => find(typeName)?.create(fields) ?? new CelError(`unknown type '${typeName}'`),
};

function find(name: string): WellKnown | undefined {
  return name.startsWith(PREFIX) ? wellKnown.get(name.slice(PREFIX.length)) : undefined;
}
