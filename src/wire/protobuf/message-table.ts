import { unreachable } from '../../base/index.ts';
import { ProtobufReader } from './reader.ts';
import { ProtobufWriter, WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT } from './writer.ts';

/** The encoding of a field's value. */
type Kind =
  | 'int32'
  | 'uint32'
  | 'sint32'
  | 'int64'
  | 'sint64'
  | 'bigint'
  | 'fixed32'
  | 'fixed64'
  | 'double'
  | 'float'
  | 'bool'
  | 'bytes'
  | 'text'
  | 'message'
  | 'map';

/** One row of a message's table. `T` is the type of the field's value in TypeScript. */
export interface Field<T> {
  readonly number: number;
  readonly kind: Kind;
  readonly isRepeated: boolean;
  /** The table of a nested message or of a map's entry; a function where tables refer to each other. */
  readonly table: (() => MessageTable<Fields>) | undefined;
  /** The oneof that the field is a member of. */
  readonly oneof?: string;
  /** Of a map: the value of an entry without one. */
  readonly zero?: unknown;
  /** Exists at compile time only. */
  readonly sample?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The value of a message: as in proto3, each field may be absent. */
export type Message<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never;
};

/** The message type of a table: `MessageOf<typeof rangeRequest>`. */
export type MessageOf<Table> = Table extends MessageTable<infer F> ? Message<F> : never;

/** An int32. */
export const int32 = (number: number): Field<number> => scalar(number, 'int32');
export const uint32 = (number: number): Field<number> => scalar(number, 'uint32');
/** An int32 in zigzag form. */
export const sint32 = (number: number): Field<number> => scalar(number, 'sint32');
/** An enum, as its number; unknown numbers are kept. */
export const enumeration = <E extends number = number>(number: number): Field<E> => scalar(number, 'int32');
/** A 64-bit number. Revisions, counts and sizes are far below 2^53; larger ones are rounded. */
export const int64 = (number: number): Field<number> => scalar(number, 'int64');
/** An int64 in zigzag form. */
export const sint64 = (number: number): Field<bigint> => scalar(number, 'sint64');
/** A 64-bit number of any size, such as an id. */
export const bigint = (number: number): Field<bigint> => scalar(number, 'bigint');
export const fixed32 = (number: number): Field<number> => scalar(number, 'fixed32');
export const fixed64 = (number: number): Field<bigint> => scalar(number, 'fixed64');
export const double = (number: number): Field<number> => scalar(number, 'double');
export const float = (number: number): Field<number> => scalar(number, 'float');
export const bool = (number: number): Field<boolean> => scalar(number, 'bool');
/** Decoded as a view into the message, not a copy. */
export const bytes = (number: number): Field<Uint8Array> => scalar(number, 'bytes');
/** A string, or bytes that are UTF-8 by convention, as keys are; invalid bytes are decoded as U+FFFD. */
export const text = (number: number): Field<string> => scalar(number, 'text');

/** A message within a message. `table` may be a function, for a table that is defined later or refers to itself. */
export function nested<F extends Fields>(
  number: number,
  table: MessageTable<F> | (() => MessageTable<F>),
): Field<Message<F>> {
  return {
    number,
    kind: 'message',
    isRepeated: false,
    table: (typeof table === 'function' ? table : () => table) as () => MessageTable<Fields>,
  };
}

/** A list. Numbers are written packed, as proto3 does, and read in both forms. */
export function repeated<T>(field: Field<T>): Field<readonly T[]> {
  return { number: field.number, kind: field.kind, table: field.table, isRepeated: true };
}

/** A `map<string, V>`, where `value` describes V; its number is not used. */
export function mapOf<T>(number: number, value: Field<T>): Field<ReadonlyMap<string, T>> {
  const entry = new MessageTable({ key: text(1), value: { ...value, number: 2 } });
  return {
    number,
    kind: 'map',
    isRepeated: false,
    table: () => entry as MessageTable<Fields>,
    zero: zeroOf(value.kind),
  };
}

/** A `map<string, string>`. */
export const textMap = (number: number): Field<ReadonlyMap<string, string>> => mapOf(number, text(2));

/**
 * The members of a oneof, to be spread among the fields of a message. A decoded message has at most one of them: the last in
 * the bytes. A message to encode must not have more than one.
 *
 * Example: `new MessageTable({ name: text(1), ...oneof('source', { path: text(2), data: bytes(3) }) })`
 */
export function oneof<F extends Fields>(name: string, members: F): F {
  return Object.fromEntries(Object.entries(members).map(([key, field]) => [key, { ...field, oneof: name }])) as F;
}

function scalar<T>(number: number, kind: Kind): Field<T> {
  return { number, kind, isRepeated: false, table: undefined };
}

type Values = Record<string, unknown>;

interface Row {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly wireType: number;
  /** The other members of the same oneof. */
  readonly rivals: readonly string[];
}

/** Encodes and decodes a protobuf message by the table of its fields. */
export class MessageTable<F extends Fields> {
  readonly #rows: readonly Row[];
  /** By field number. */
  readonly #byNumber: (Row | undefined)[] = [];

  constructor(fields: F) {
    const all = Object.entries(fields);
    this.#rows = all.map(([name, field]) => ({
      name,
      field,
      wireType: wireTypeOf(field.kind),
      rivals: all.flatMap(([other, { oneof: group }]) =>
        other !== name && group !== undefined && group === field.oneof ? [other] : [],
      ),
    }));
    for (const row of this.#rows) this.#byNumber[row.field.number] = row;
  }

  encode(message: Message<F>): Uint8Array {
    const writer = new ProtobufWriter();
    this.write(writer, message);
    return writer.finish();
  }

  decode(data: Uint8Array): Message<F> {
    const reader = new ProtobufReader(data);
    return this.read(reader, reader.length);
  }

  write(writer: ProtobufWriter, message: Message<F>): void {
    for (const { name, field, wireType, rivals } of this.#rows) {
      const value = (message as Values)[name];
      if (value === undefined) continue;
      if (rivals.some((rival) => (message as Values)[rival] !== undefined)) throw twoOfOneof(name, field.oneof);
      if (!field.isRepeated) writeValue(writer, field, value);
      else if (wireType === WIRE_BYTES) for (const item of value as readonly unknown[]) writeValue(writer, field, item);
      else writePacked(writer, field, value as readonly unknown[]);
    }
  }

  read(reader: ProtobufReader, end: number): Message<F> {
    const message: Values = {};
    reader.enter();
    while (reader.hasMore(end)) {
      const tag = reader.tag();
      const row = this.#byNumber[tag >>> 3];
      if (row === undefined) reader.skip(tag);
      else if ((tag & 7) === row.wireType) readField(reader, row, message);
      else if ((tag & 7) === WIRE_BYTES && row.field.isRepeated) readPacked(reader, row, message);
      else reader.skip(tag);
    }
    reader.leave();
    return message as Message<F>;
  }
}

function twoOfOneof(name: string, group: string | undefined): Error {
  return new Error(`Cannot write field "${name}": another member of the oneof "${group}" is set`);
}

function wireTypeOf(kind: Kind): number {
  switch (kind) {
    case 'bytes':
    case 'text':
    case 'message':
    case 'map':
      return WIRE_BYTES;
    case 'fixed32':
    case 'float':
      return WIRE_FIXED32;
    case 'fixed64':
    case 'double':
      return WIRE_FIXED64;
    default:
      return WIRE_VARINT;
  }
}

function readField(reader: ProtobufReader, { name, field, rivals }: Row, message: Values): void {
  const value = readValue(reader, field);
  if (field.kind === 'map') {
    const { key = '', value: mapped } = value as { readonly key?: string; readonly value?: unknown };
    ((message[name] ??= new Map()) as Map<string, unknown>).set(key, mapped ?? field.zero);
  } else if (field.isRepeated) {
    ((message[name] ??= []) as unknown[]).push(value);
  } else {
    for (const rival of rivals) delete message[rival];
    message[name] = value;
  }
}

/** The value of an absent field, by its kind. */
function zeroOf(kind: Kind): unknown {
  switch (kind) {
    case 'text':
      return '';
    case 'bytes':
      return new Uint8Array();
    case 'bool':
      return false;
    case 'message':
      return {};
    case 'map':
      return new Map();
    case 'bigint':
    case 'sint64':
    case 'fixed64':
      return 0n;
    default:
      return 0;
  }
}

/** Reads a packed repeated field. */
function readPacked(reader: ProtobufReader, row: Row, message: Values): void {
  const end = reader.begin();
  while (reader.hasMore(end)) readField(reader, row, message);
}

function writePacked(writer: ProtobufWriter, field: Field<unknown>, items: readonly unknown[]): void {
  if (items.length === 0) return;
  const open = writer.begin(field.number);
  for (const item of items) writeNumber(writer, field.kind, item);
  writer.end(open);
}

function writeValue(writer: ProtobufWriter, field: Field<unknown>, value: unknown): void {
  const { number, kind } = field;
  switch (kind) {
    case 'int64':
    case 'bigint':
      return writer.int64(number, value as number | bigint);
    case 'bool':
      return writer.bool(number, value as boolean);
    case 'bytes':
      return writer.bytes(number, value as Uint8Array);
    case 'text':
      return writer.string(number, value as string);
    case 'map':
      for (const [key, mapped] of value as ReadonlyMap<string, unknown>)
        writeMessage(writer, field, { key, value: mapped });
      return;
    case 'message':
      return writeMessage(writer, field, value as Values);
    default:
      writer.tag(number, wireTypeOf(kind));
      return writeNumber(writer, kind, value);
  }
}

function writeMessage(writer: ProtobufWriter, field: Field<unknown>, value: Values): void {
  const open = writer.begin(field.number);
  field.table?.().write(writer, value);
  writer.end(open);
}

/** A number without its tag. */
function writeNumber(writer: ProtobufWriter, kind: Kind, value: unknown): void {
  switch (kind) {
    case 'bool':
      return writer.varint(value === true ? 1 : 0);
    case 'int32':
      return writer.varint((value as number) | 0);
    case 'uint32':
      return writer.varint((value as number) >>> 0);
    case 'sint32':
      return writer.varint((((value as number) << 1) ^ ((value as number) >> 31)) >>> 0);
    case 'sint64':
      return writer.varint(((value as bigint) << 1n) ^ ((value as bigint) >> 63n));
    case 'fixed32':
      return writer.fixed32(value as number);
    case 'fixed64':
      return writer.fixed64(value as bigint);
    case 'float':
      return writer.float(value as number);
    case 'double':
      return writer.fixedDouble(value as number);
    default:
      return writer.varint(value as number | bigint);
  }
}

function readValue(reader: ProtobufReader, field: Field<unknown>): unknown {
  const { kind } = field;
  switch (kind) {
    case 'int64':
      return Number(reader.int64());
    case 'bigint':
      return BigInt(reader.int64());
    case 'int32':
      return reader.int32();
    case 'uint32':
      return reader.int32() >>> 0;
    case 'sint32': {
      const folded = reader.int32();
      return (folded >>> 1) ^ -(folded & 1);
    }
    case 'sint64': {
      const folded = BigInt.asUintN(64, BigInt(reader.int64()));
      return (folded >> 1n) ^ -(folded & 1n);
    }
    case 'fixed32':
      return reader.fixed32();
    case 'fixed64':
      return reader.fixed64();
    case 'float':
      return reader.float();
    case 'double':
      return reader.double();
    case 'bool':
      return reader.bool();
    case 'bytes':
      return reader.bytes();
    case 'text':
      return (reader.bytes() as Buffer).toString('utf8');
    case 'map':
    case 'message':
      return field.table?.().read(reader, reader.begin());
    default:
      return unreachable(kind);
  }
}
