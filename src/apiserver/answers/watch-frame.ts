import { Buffer } from 'node:buffer';
import { ProtobufWriter } from '../../api/index.ts';
import type { WatchEvent } from './answer.ts';

/** Puts the object of an event, which is encoded already, into a frame: in pieces to be written one after the other. */
export type Frame = (type: WatchEvent['type'], object: Uint8Array) => readonly Uint8Array[];

/** One line of JSON for each event. */
export const jsonFrame: Frame = (type, object) => [starts[type], object, END];

const END = Buffer.from('}\n');
const starts: Readonly<Record<WatchEvent['type'], Uint8Array>> = {
  ADDED: start('ADDED'),
  MODIFIED: start('MODIFIED'),
  DELETED: start('DELETED'),
  BOOKMARK: start('BOOKMARK'),
  ERROR: start('ERROR'),
};

function start(type: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":`);
}

const LENGTH_BYTES = 4;
const LENGTH = new Uint8Array(LENGTH_BYTES);

/** Four bytes of length, highest first, then a WatchEvent whose object is the envelope as raw bytes. */
export const protobufFrame: Frame = (type, object) => {
  const writer = new ProtobufWriter(object.length + 64);
  writer.raw(LENGTH);
  writer.string(1, type);
  const rawExtension = writer.begin(2);
  writer.bytes(1, object);
  writer.end(rawExtension);
  const frame = writer.finish();
  new DataView(frame.buffer, frame.byteOffset).setUint32(0, frame.length - LENGTH_BYTES);
  return [frame];
};
