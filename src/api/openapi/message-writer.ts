import { yamlText } from './yaml-text.ts';
import type { Member } from './document.ts';
import type { JsonObject } from './json-schema.ts';

/** Writes a JSON value as the protobuf field with this number. */
export type FieldWriter = (writer: ReverseWriter, number: number, value: unknown) => void;

/** How a JSON object is written as a protobuf message. */
export interface MessageShape {
  /** In ascending order of number. */
  readonly fields: readonly (readonly [number: number, name: string, write: FieldWriter])[];
  /** The field for members called `x-…`, written as pairs of name and value. Its number is the highest. */
  readonly extensions?: number;
}

export function writeMessage(value: JsonObject, shape: MessageShape): Uint8Array {
  const writer = new ReverseWriter();
  writeFields(writer, value, shape);
  return writer.take();
}

/** The same for cached members; `at` is the number of the repeated field. */
export function membersOf(write: FieldWriter, at = 1): FieldWriter {
  return (writer, number, value) => {
    const scratch = new ReverseWriter();
    const written = (value as readonly Member[]).map((member) =>
      member.protobuf((name, item) => {
        writePair(scratch, at, { name, write: () => write(scratch, 2, item) });
        return scratch.take();
      }),
    );
    writer.message(number, () => {
      for (const bytes of written.reverse()) writer.bytes(bytes);
    });
  };
}

function writeFields(writer: ReverseWriter, value: JsonObject, { fields, extensions }: MessageShape): void {
  if (extensions !== undefined) {
    for (const name of Object.keys(value).reverse()) {
      if (name.startsWith('x-')) writePair(writer, extensions, { name, write: () => any(writer, 2, value[name]) });
    }
  }
  for (let index = fields.length - 1; index >= 0; index--) {
    const [number, name, write] = fields[index] as MessageShape['fields'][number];
    const field = value[name];
    if (field !== undefined) write(writer, number, field);
  }
}

/** A message of a name (1) and a value (2), which `write` writes. */
function writePair(
  writer: ReverseWriter,
  number: number,
  { name, write }: { readonly name: string; readonly write: () => void },
): void {
  writer.message(number, () => {
    write();
    writer.string(1, name);
  });
}

// Zero values are omitted, as always in protobuf 3.

export const string: FieldWriter = (writer, number, value) => {
  if (typeof value === 'string' && value !== '') writer.string(number, value);
};

export const bool: FieldWriter = (writer, number, value) => {
  if (value === true) writer.bool(number, true);
};

export const integer: FieldWriter = (writer, number, value) => {
  if (typeof value === 'number' && value > 0) writer.integer(number, value);
};

export const double: FieldWriter = (writer, number, value) => {
  if (typeof value === 'number' && value !== 0) writer.double(number, value);
};

/** A value of any shape is written as YAML, in field 2 of a message. */
export const any: FieldWriter = (writer, number, value) => {
  writer.message(number, () => writer.string(2, yamlText(value)));
};

/** Strings in a list are written even if empty, because of their position. */
export const strings: FieldWriter = (writer, number, value) => {
  for (const item of [...(value as readonly string[])].reverse()) writer.string(number, item);
};

export function repeated(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    for (const item of [...(value as readonly unknown[])].reverse()) write(writer, number, item);
  };
}

/** `shape` is called on first use, because messages are mutually recursive. */
export function message(shape: () => MessageShape): FieldWriter {
  return (writer, number, value) => {
    writer.message(number, () => writeFields(writer, value as JsonObject, shape()));
  };
}

/** A message whose only field is this one. */
export function within(at: number, write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    writer.message(number, () => write(writer, at, value));
  };
}

/** A message with the members of an object as its repeated field 1, each a pair of name and value. */
export function mapOf(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    writer.message(number, () => {
      for (const [name, item] of Object.entries(value as JsonObject).reverse()) {
        writePair(writer, 1, { name, write: () => write(writer, 2, item) });
      }
    });
  };
}

/**
 * Writes protobuf from its end to its start: a message's length is known when it is written, so nothing has to be measured
 * in advance. Fields must be written in descending order of number.
 */
class ReverseWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #start = this.#buffer.length;

  /** The number of bytes written, counted from the end. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** Returns the written bytes and resets the writer. */
  take(): Uint8Array {
    const written = this.#buffer.subarray(this.#start);
    this.#start = this.#buffer.length;
    return Uint8Array.prototype.slice.call(written);
  }

  /** Bytes that are already encoded, including the tag. */
  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#buffer.set(value, this.#start);
  }

  string(number: number, value: string): void {
    const size = Buffer.byteLength(value);
    this.#reserve(size);
    this.#start -= size;
    this.#buffer.write(value, this.#start);
    this.#lengthAndTag(number, size);
  }

  bool(number: number, value: boolean): void {
    this.#varint(value ? 1 : 0);
    this.#varint(number * 8);
  }

  /** A non-negative integer. */
  integer(number: number, value: number): void {
    this.#varint(value);
    this.#varint(number * 8);
  }

  double(number: number, value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
    this.#varint(number * 8 + 1);
  }

  message(number: number, write: () => void): void {
    const before = this.length;
    write();
    this.#lengthAndTag(number, this.length - before);
  }

  #lengthAndTag(number: number, size: number): void {
    this.#varint(size);
    this.#varint(number * 8 + 2);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
    this.#start -= size;
    let position = this.#start;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[position++] = (rest % 128) + 128;
    this.#buffer[position] = rest;
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const larger = Buffer.allocUnsafe(this.#buffer.length * 2 + size);
    const start = larger.length - this.length;
    this.#buffer.copy(larger, start, this.#start);
    this.#buffer = larger;
    this.#start = start;
  }
}
