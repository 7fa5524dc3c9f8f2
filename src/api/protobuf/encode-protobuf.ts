import type { PlainObject } from '../json/index.ts';
import type { Struct } from '../schema/schema.ts';
import { encoderOf } from './message-encoder.ts';
import { ENVELOPE_MAGIC } from './magic.ts';
import { ProtobufWriter } from '../../wire/protobuf/index.ts';

/** Whether objects of the type have a protobuf form at all; custom resources and tables do not. */
export function travelsInProtobuf(struct: Struct): boolean {
  return struct.fields.some((field) => field.number > 0);
}

/** An object, which must be canonical, as a protobuf message: byte by byte what Kubernetes writes. */
export function encodeProtobuf(value: PlainObject, struct: Struct): Uint8Array {
  const writer = new ProtobufWriter();
  encoderOf(struct).write(writer, value);
  return writer.finish();
}

/** The same in the envelope that bodies and stored values have, which tells apiVersion and kind. */
export function encodeProtobufEnvelope(value: PlainObject, struct: Struct): Uint8Array {
  const writer = new ProtobufWriter();
  writer.raw(MAGIC);
  writeTypeMeta(writer, value);
  const raw = writer.begin(2);
  encoderOf(struct).write(writer, value);
  writer.end(raw);
  writeContent(writer);
  return writer.finish();
}

/** An envelope around a message that is encoded already. */
export function wrapProtobuf(
  raw: Uint8Array,
  typeMeta: { readonly apiVersion: string; readonly kind: string },
): Uint8Array {
  const writer = new ProtobufWriter(raw.length + 128);
  writer.raw(MAGIC);
  writeTypeMeta(writer, typeMeta);
  writer.bytes(2, raw);
  writeContent(writer);
  return writer.finish();
}

const MAGIC = Uint8Array.from(ENVELOPE_MAGIC);

function writeTypeMeta(writer: ProtobufWriter, { apiVersion, kind }: PlainObject): void {
  const typeMeta = writer.begin(1);
  writer.string(1, typeof apiVersion === 'string' ? apiVersion : '');
  writer.string(2, typeof kind === 'string' ? kind : '');
  writer.end(typeMeta);
}

/** Content encoding and type are there, and empty. */
function writeContent(writer: ProtobufWriter): void {
  writer.string(3, '');
  writer.string(4, '');
}
