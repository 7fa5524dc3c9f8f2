import type { TypeProvider } from '../../check/type-provider.ts';
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
  nullable,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../../type-terms/index.ts';
import {
  CelError,
  Double,
  Duration,
  Failure,
  isList,
  isMap,
  MapValue,
  MAX_INT,
  MIN_INT,
  Timestamp,
  typeOf,
  Uint,
  type Value,
} from '../../values/index.ts';
import { anyMessage } from './any-message.ts';
import { EMPTY_TYPE, EmptyMessage } from './empty-message.ts';
import { fieldContent, type FieldKind } from './field-conversion.ts';
import { jsonList, jsonStruct } from './json-message.ts';

const PREFIX = 'google.protobuf.';
const NANOS = 1_000_000_000n;
/** The last and first second that can be represented. */
const LAST_SHOWN_SECOND = 8_640_000_000_000n;

interface Field {
  readonly type: Type;
  /**
   * Converts a value for the field, or returns an error when it does not fit. `place` is the full name of the field.
   */
  read(value: Value, place: string): Value;
}

interface WellKnown {
  readonly type: Type;
  readonly fields: Readonly<Record<string, Field>>;
  /** The value of a message with these fields. */
  create(fields: ReadonlyMap<string, Value>): Value;
}

function singular(type: Type, read: (value: Value) => Value): Field {
  return {
    type,
    read(value, place) {
      const content = read(value);
      if (!(content instanceof CelError)) return content;
      return new CelError(`field type conversion error for ${place} value type: ${content.message}`);
    },
  };
}

function scalar(type: Type, kind: FieldKind): Field {
  return singular(type, (value) => fieldContent(value, kind));
}

/** A repeated field or a map. */
function collection(type: Type, accepts: (value: Value) => boolean, read: (value: Value) => Value): Field {
  const inner = singular(type, read);
  return {
    type,
    read: (value, place) =>
      accepts(value)
        ? inner.read(value, place)
        : new CelError(`unsupported field type for ${place}: ${typeOf(value).toString()}`),
  };
}

function wrapper(of: Type, kind: FieldKind, zero: Value): WellKnown {
  return { type: nullable(of), fields: { value: scalar(of, kind) }, create: (fields) => fields.get('value') ?? zero };
}

const LIST_OF_VALUES = listOf(DYN);
const STRUCT = mapOf(STRING, DYN);
const TIME_FIELDS = { seconds: scalar(INT, 'int64'), nanos: scalar(INT, 'int32') };

function nanosOf(fields: ReadonlyMap<string, Value>): bigint {
  const [seconds, nanos] = ['seconds', 'nanos'].map((name) => BigInt((fields.get(name) ?? 0) as number | bigint));
  return (seconds as bigint) * NANOS + (nanos as bigint);
}

/** Durations out of range are clamped. */
function durationOf(fields: ReadonlyMap<string, Value>): Duration {
  const nanos = nanosOf(fields);
  return new Duration(nanos > MAX_INT ? MAX_INT : nanos < MIN_INT ? MIN_INT : nanos);
}

function timestampOf(fields: ReadonlyMap<string, Value>): Value {
  const all = nanosOf(fields);
  const nanos = ((all % NANOS) + NANOS) % NANOS;
  const seconds = (all - nanos) / NANOS;
  if (seconds > LAST_SHOWN_SECOND || seconds < -LAST_SHOWN_SECOND) return new CelError('timestamp overflow');
  return new Timestamp({ seconds: Number(seconds), nanos: Number(nanos) });
}

/** The value of a oneof is the field that was set last; null when none was. */
function valueOf(fields: ReadonlyMap<string, Value>): Value {
  const [name, content = null] = [...fields].at(-1) ?? [];
  return name === 'null_value' ? null : content;
}

/** Protobuf's well-known messages. They become ordinary values as soon as they are constructed. */
const wellKnown: ReadonlyMap<string, WellKnown> = new Map<string, WellKnown>([
  [
    'Any',
    {
      type: ANY,
      fields: { type_url: scalar(STRING, 'string'), value: scalar(BYTES, '[]uint8') },
      create: anyMessage,
    },
  ],
  ['BoolValue', wrapper(BOOL, 'bool', false)],
  ['BytesValue', wrapper(BYTES, '[]uint8', new Uint8Array())],
  ['DoubleValue', wrapper(DOUBLE, 'float64', new Double(0))],
  ['Duration', { type: DURATION, fields: TIME_FIELDS, create: durationOf }],
  ['Empty', { type: EMPTY_TYPE, fields: {}, create: () => new EmptyMessage() }],
  ['FloatValue', wrapper(DOUBLE, 'float32', new Double(0))],
  ['Int32Value', wrapper(INT, 'int32', 0)],
  ['Int64Value', wrapper(INT, 'int64', 0)],
  [
    'ListValue',
    {
      type: LIST_OF_VALUES,
      fields: { values: collection(LIST_OF_VALUES, isList, jsonList) },
      create: (fields) => fields.get('values') ?? [],
    },
  ],
  ['StringValue', wrapper(STRING, 'string', '')],
  [
    'Struct',
    {
      type: STRUCT,
      fields: { fields: collection(STRUCT, isMap, jsonStruct) },
      create: (fields) => fields.get('fields') ?? new MapValue(),
    },
  ],
  ['Timestamp', { type: TIMESTAMP, fields: TIME_FIELDS, create: timestampOf }],
  ['UInt32Value', wrapper(UINT, 'uint32', new Uint(0n))],
  ['UInt64Value', wrapper(UINT, 'uint64', new Uint(0n))],
  [
    'Value',
    {
      type: DYN,
      fields: {
        null_value: scalar(INT, 'protoreflect.EnumNumber'),
        number_value: scalar(DOUBLE, 'float64'),
        string_value: scalar(STRING, 'string'),
        bool_value: scalar(BOOL, 'bool'),
        struct_value: singular(STRUCT, jsonStruct),
        list_value: singular(LIST_OF_VALUES, jsonList),
      },
      create: valueOf,
    },
  ],
]);

/** Finds the messages by their full names. */
export const wellKnownTypes: TypeProvider = {
  findType: (name) => find(name)?.type,
  findField: (typeName, field) => find(typeName)?.fields[field]?.type,
  findConstant(name) {
    if (name === `${PREFIX}NullValue.NULL_VALUE`) return 0;
    return name === EMPTY_TYPE.name ? EMPTY_TYPE : undefined;
  },
  create(typeName, fields) {
    const message = find(typeName) as WellKnown;
    const contents = new Map<string, Value>();
    for (const [name, value] of fields) {
      const content = message.fields[name]?.read(value, `${typeName}.${name}`) ?? null;
      if (content instanceof Failure) return content;
      contents.set(name, content);
    }
    return message.create(contents);
  },
};

function find(name: string): WellKnown | undefined {
  return name.startsWith(PREFIX) ? wellKnown.get(name.slice(PREFIX.length)) : undefined;
}
