import { unreachable } from '../../base/index.ts';
import { ProtobufReader } from './reader.ts';
import { ProtobufWriter, WIRE_BYTES, WIRE_VARINT } from './writer.ts';

type Kind = 'int64' | 'bigint' | 'bool' | 'bytes' | 'text' | 'message' | 'textMap';

/** One row of a message's table. `T` is what it is in TypeScript. */
export interface Field<T> {
  readonly number: number;
  readonly kind: Kind;
  readonly isRepeated: boolean;
  readonly table: MessageTable<Fields> | undefined;
  /** There at compile time only. */
  readonly sample?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What a message holds: like everything in proto3, each field may be absent. */
export type Message<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never;
};

/** The message that a table describes: `MessageOf<typeof rangeRequest>`. */
export type MessageOf<Table> = Table extends MessageTable<infer F> ? Message<F> : never;

/** A 64-bit number. Revisions, counts and sizes stay far below 2^53; what does not is rounded. */
export const int64 = (number: number): Field<number> => scalar(number, 'int64');
/** A 64-bit number of any size, such as an id. */
export const bigint = (number: number): Field<bigint> => scalar(number, 'bigint');
export const bool = (number: number): Field<boolean> => scalar(number, 'bool');
/** A view into the message when read, not a copy. */
export const bytes = (number: number): Field<Uint8Array> => scalar(number, 'bytes');
/** A string, or bytes that are UTF-8 by agreement, as keys are; others come out with U+FFFD in them. */
export const text = (number: number): Field<string> => scalar(number, 'text');

export function nested<F extends Fields>(number: number, table: MessageTable<F>): Field<Message<F>> {
  return { number, kind: 'message', isRepeated: false, table };
}

export function repeated<T>(field: Field<T>): Field<readonly T[]> {
  return { number: field.number, kind: field.kind, table: field.table, isRepeated: true };
}

/** A `map<string, string>`. */
export const textMap = (number: number): Field<ReadonlyMap<string, string>> => scalar(number, 'textMap');

function scalar<T>(number: number, kind: Kind): Field<T> {
  return { number, kind, isRepeated: false, table: undefined };
}

type Values = Record<string, unknown>;
type Row = readonly [string, Field<unknown>];

/** A protobuf message as a table of its fields, which is all that is needed to write and read it. */
export class MessageTable<F extends Fields> {
  readonly #named: readonly Row[];
  /** At the place of its number. */
  readonly #byNumber: (Row | undefined)[] = [];

  constructor(fields: F) {
    this.#named = Object.entries(fields);
    for (const row of this.#named) this.#byNumber[row[1].number] = row;
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
    for (const [name, field] of this.#named) {
      const value = (message as Values)[name];
      if (value === undefined) continue;
      if (!field.isRepeated) writeValue(writer, field, value);
      else for (const item of value as readonly unknown[]) writeValue(writer, field, item);
    }
  }

  read(reader: ProtobufReader, end: number): Message<F> {
    const message: Values = {};
    while (reader.hasMore(end)) {
      const tag = reader.tag();
      const row = this.#byNumber[tag >>> 3];
      if (row === undefined) reader.skip(tag);
      else if ((tag & 7) === wireTypeOf(row[1].kind)) readField(reader, row, message);
      else if ((tag & 7) === WIRE_BYTES && row[1].isRepeated) readPacked(reader, row, message);
      else reader.skip(tag);
    }
    return message as Message<F>;
  }
}

function wireTypeOf(kind: Kind): number {
  return kind === 'int64' || kind === 'bigint' || kind === 'bool' ? WIRE_VARINT : WIRE_BYTES;
}

function readField(reader: ProtobufReader, [name, field]: Row, message: Values): void {
  const value = readValue(reader, field);
  if (field.kind === 'textMap') {
    const { key = '', value: text = '' } = value as Message<Entry>;
    ((message[name] ??= new Map()) as Map<string, string>).set(key, text);
  } else if (!field.isRepeated) {
    message[name] = value;
  } else {
    ((message[name] ??= []) as unknown[]).push(value);
  }
}

/** Numbers of a repeated field one after the other, as proto3 writes them. */
function readPacked(reader: ProtobufReader, row: Row, message: Values): void {
  const end = reader.begin();
  while (reader.hasMore(end)) readField(reader, row, message);
}

function writeValue(writer: ProtobufWriter, field: Field<unknown>, value: unknown): void {
  const { number } = field;
  switch (field.kind) {
    case 'int64':
      return writer.int64(number, value as number);
    case 'bigint':
      return writer.int64(number, value as bigint);
    case 'bool':
      return writer.bool(number, value as boolean);
    case 'bytes':
      return writer.bytes(number, value as Uint8Array);
    case 'text':
      return writer.string(number, value as string);
    case 'textMap':
      for (const [key, text] of value as ReadonlyMap<string, string>) {
        const open = writer.begin(number);
        entry.write(writer, { key, value: text });
        writer.end(open);
      }
      return;
    case 'message': {
      const open = writer.begin(number);
      field.table?.write(writer, value as Message<Fields>);
      return writer.end(open);
    }
    default:
      return unreachable(field.kind);
  }
}

function readValue(reader: ProtobufReader, field: Field<unknown>): unknown {
  switch (field.kind) {
    case 'int64':
      return Number(reader.int64());
    case 'bigint':
      return BigInt(reader.int64());
    case 'bool':
      return reader.bool();
    case 'bytes':
      return reader.bytes();
    case 'text':
      return (reader.bytes() as Buffer).toString('utf8');
    case 'textMap':
      return entry.read(reader, reader.begin());
    case 'message':
      return field.table?.read(reader, reader.begin());
    default:
      return unreachable(field.kind);
  }
}

/** How protobuf writes one entry of a map. */
const entryFields = { key: text(1), value: text(2) };
const entry = new MessageTable(entryFields);
type Entry = typeof entryFields;
