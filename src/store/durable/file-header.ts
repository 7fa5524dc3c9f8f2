import { crc32 } from 'node:zlib';
import { StoreError } from '../errors.ts';
import { FileDamage } from './durable-files.ts';

/** Length of the header that begins every file of the store. */
export const HEADER_LENGTH = 64;
/**
 * The version this program writes; raised whenever an older program could misread what a newer one writes.
 *
 * Version 1 had no manifest. Version 2 has one, and its segments record how the previous segment ends.
 */
export const FORMAT_VERSION = 2;
/** From this version on, a store always has a manifest. */
export const MANIFEST_SINCE_VERSION = 2;

const MAGIC_LENGTH = 8;
const CRC_OFFSET = HEADER_LENGTH - 4;

export type FileMagic = 'KEELSLOG' | 'KEELSCKP' | 'KEELSMAN';

/** Encodes a header with magic, version and checksum; bytes 16 to 59 belong to the specific kind of file. */
export function encodeFileHeader(magic: FileMagic, fill: (header: Buffer) => void): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.write(magic, 0, 'latin1');
  header.writeUInt32LE(FORMAT_VERSION, MAGIC_LENGTH);
  header.writeUInt32LE(HEADER_LENGTH, MAGIC_LENGTH + 4);
  fill(header);
  sealFileHeader(header);
  return header;
}

/** Recomputes a header's checksum. */
export function sealFileHeader(header: Buffer): void {
  header.writeUInt32LE(crc32(header.subarray(0, CRC_OFFSET)), CRC_OFFSET);
}

/** Returns a header's version. Refuses a file of another kind, a corrupt header, and a newer version. */
export function checkFileHeader(content: Buffer, magic: FileMagic, file: string): number {
  if (content.length < HEADER_LENGTH) throw new FileDamage(file, content.length, 'the file ends within its header');
  if (content.toString('latin1', 0, MAGIC_LENGTH) !== magic)
    throw new FileDamage(file, 0, `it does not begin with ${magic}`);
  const version = content.readUInt32LE(MAGIC_LENGTH);
  if (version > FORMAT_VERSION) {
    const what = `format version ${version} is newer than ${FORMAT_VERSION}, the newest that this version of Keelson knows`;
    throw new StoreError('UnknownFormat', `Cannot read store file "${file}": ${what}`);
  }
  if (content.readUInt32LE(CRC_OFFSET) !== crc32(content.subarray(0, CRC_OFFSET))) {
    throw new FileDamage(file, 0, 'the checksum of the header is wrong');
  }
  return version;
}
