import { MalformedMessageError } from './malformed-message.ts';
import type { RecordData } from './message.ts';
import type { MessageReader } from './message-reader.ts';
import type { MessageWriter } from './message-writer.ts';
import { nameBytes } from './name-text.ts';
import { RecordType } from './protocol-numbers.ts';

/**
 * Types whose data may have compressed names although they are kept as bytes (RFC 3597, section 4): `n` is a name, `s` a text with
 * its length, a digit that many bytes. Their names are written out when they are read.
 */
const LAYOUTS: ReadonlyMap<number, string> = new Map([
  [3, 'n'], // MD
  [4, 'n'], // MF
  [7, 'n'], // MB
  [8, 'n'], // MG
  [9, 'n'], // MR
  [14, 'nn'], // MINFO
  [17, 'nn'], // RP
  [18, '2n'], // AFSDB
  [21, '2n'], // RT
  [26, '2nn'], // PX
  [35, '22sssn'], // NAPTR
  [36, '2n'], // KX
  [39, 'n'], // DNAME
]);
const ADDRESS_BYTES: ReadonlyMap<number, number> = new Map([
  [RecordType.A, 4],
  [RecordType.AAAA, 16],
]);

/** Reads the length of a record's data and the data. */
export function decodeData(reader: MessageReader, type: number): RecordData {
  const length = reader.uint16();
  const end = reader.offset + length;
  if (end > reader.length) throw new MalformedMessageError('Cannot read message: a record ends after it');
  const data = readData(reader, type, length);
  if (reader.offset !== end)
    throw new MalformedMessageError(`Cannot read message: data of type ${type} does not have its ${length} bytes`);
  return data;
}

function readData(reader: MessageReader, type: number, length: number): RecordData {
  switch (type) {
    case RecordType.CNAME:
    case RecordType.NS:
    case RecordType.PTR:
      return { kind: 'name', target: reader.name() };
    case RecordType.SRV:
      return {
        kind: 'srv',
        priority: reader.uint16(),
        weight: reader.uint16(),
        port: reader.uint16(),
        target: reader.name(),
      };
    case RecordType.MX:
      return { kind: 'mx', preference: reader.uint16(), exchange: reader.name() };
    case RecordType.SOA:
      return {
        kind: 'soa',
        primary: reader.name(),
        mailbox: reader.name(),
        serial: reader.uint32(),
        refresh: reader.uint32(),
        retry: reader.uint32(),
        expire: reader.uint32(),
        minimum: reader.uint32(),
      };
    case RecordType.TXT:
      return checkedTexts(reader.bytes(length));
    default:
      return readBytes(reader, type, length);
  }
}

function readBytes(reader: MessageReader, type: number, length: number): Uint8Array {
  const expected = ADDRESS_BYTES.get(type);
  if (expected !== undefined && expected !== length)
    throw new MalformedMessageError(`Cannot read message: an address of ${length} bytes in a record of type ${type}`);
  const layout = LAYOUTS.get(type);
  return layout === undefined || length === 0 ? reader.bytes(length) : writtenOut(reader, layout);
}

/** The same data with its names uncompressed. */
function writtenOut(reader: MessageReader, layout: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const part of layout) {
    if (part === 'n') parts.push(nameBytes(reader.name()));
    else if (part === 's') {
      const length = reader.uint8();
      parts.push(Uint8Array.of(length), reader.bytes(length));
    } else parts.push(reader.bytes(Number(part)));
  }
  return Buffer.concat(parts);
}

function checkedTexts(data: Uint8Array): Uint8Array {
  let at = 0;
  while (at < data.length) at += 1 + (data[at] as number);
  if (at !== data.length) throw new MalformedMessageError('Cannot read message: a text ends after its record');
  return data;
}

/** Writes the length of a record's data and the data. */
export function encodeData(writer: MessageWriter, data: RecordData): void {
  const lengthAt = writer.offset;
  writer.uint16(0);
  if (data instanceof Uint8Array) {
    if (data.length > 0xffff) throw new MalformedMessageError(`Cannot write a record of ${data.length} bytes`);
    writer.bytes(data);
  } else {
    switch (data.kind) {
      case 'name':
        writer.name(data.target);
        break;
      case 'srv':
        writer.uint16(data.priority);
        writer.uint16(data.weight);
        writer.uint16(data.port);
        writer.wholeName(data.target); // RFC 2782: never compressed
        break;
      case 'mx':
        writer.uint16(data.preference);
        writer.name(data.exchange);
        break;
      case 'soa':
        writer.name(data.primary);
        writer.name(data.mailbox);
        for (const value of [data.serial, data.refresh, data.retry, data.expire, data.minimum]) writer.uint32(value);
        break;
    }
  }
  writer.uint16At(lengthAt, writer.offset - lengthAt - 2);
}

/** The data of a TXT record. Each text has up to 255 bytes of UTF-8. */
export function textData(texts: readonly string[]): Uint8Array {
  const parts = texts.map((text) => Buffer.from(text));
  const long = parts.find((part) => part.length > 0xff);
  if (long !== undefined)
    throw new MalformedMessageError(`Cannot write a text of ${long.length} bytes: 255 is the most`);
  return Buffer.concat(parts.flatMap((part) => [Uint8Array.of(part.length), part]));
}
