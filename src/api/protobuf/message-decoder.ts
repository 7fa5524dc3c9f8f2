import { type PlainObject, setOwn } from '../json/index.ts';
import type { Field, Struct } from '../schema/schema.ts';
import { type ProtobufReader, wrongWireType } from '../../wire/protobuf/index.ts';
import { shapeReader, type ValueReader } from './shape-readers.ts';

/** Reads a field whose tag has been read into the object. */
type ReadField = (reader: ProtobufReader, wireType: number, target: PlainObject) => void;

/**
 * Reads the objects of one struct into plain objects, which are not canonical yet: only what came is there, in the order
 * in which it came. Compiled once per struct, when first needed.
 */
export class MessageDecoder {
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

export function decoderOf(struct: Struct): MessageDecoder {
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
