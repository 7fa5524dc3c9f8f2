import { Buffer } from 'node:buffer';
import { ENVELOPE_MAGIC } from '../../api/index.ts';
import { ChunkWriter, varintLength } from './chunk-writer.ts';
import type { TypeMeta } from './list-metadata.ts';

const FIELD_1 = 0x0a;
const FIELD_2 = 0x12;
const MAGIC = Uint8Array.from(ENVELOPE_MAGIC);
/** The envelope's contentEncoding and contentType, both empty. */
const ENVELOPE_END = Uint8Array.of(0x1a, 0, 0x22, 0);

/** Builds a list in its envelope from encoded messages: metadata is field 1, items are field 2. */
export function* protobufList(
  typeMeta: TypeMeta,
  metadata: Uint8Array,
  items: readonly Uint8Array[],
): Generator<Uint8Array> {
  const version = Buffer.from(typeMeta.apiVersion);
  const kind = Buffer.from(typeMeta.kind);
  const writer = new ChunkWriter();
  writer.bytes(MAGIC);
  writer.byte(FIELD_1);
  writer.varint(fieldLength(version) + fieldLength(kind));
  writeField(writer, FIELD_1, version);
  writeField(writer, FIELD_2, kind);
  writer.byte(FIELD_2);
  writer.varint(items.reduce((sum, item) => sum + fieldLength(item), fieldLength(metadata)));
  writeField(writer, FIELD_1, metadata);
  for (const item of items) {
    writeField(writer, FIELD_2, item);
    if (writer.hasFull) yield* writer.take();
  }
  writer.bytes(ENVELOPE_END);
  yield* writer.finish();
}

function fieldLength(bytes: Uint8Array): number {
  return 1 + varintLength(bytes.length) + bytes.length;
}

function writeField(writer: ChunkWriter, tag: number, bytes: Uint8Array): void {
  writer.byte(tag);
  writer.varint(bytes.length);
  writer.bytes(bytes);
}
