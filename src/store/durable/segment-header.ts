import type { Revision } from '../store.ts';
import { checkFileHeader, encodeFileHeader } from './file-header.ts';
import { readU64, writeU64 } from './u64.ts';

/** What the head of a log segment says. */
export interface SegmentHeader {
  /** 1, 2, 3, … without gaps. */
  readonly sequence: number;
  /** A random number that goes into every checksum of the segment, so that no other bytes can pass for its frames. */
  readonly salt: number;
  /** The newest revision when the segment was begun. */
  readonly after: Revision;
  /** How the segment before this one ends; the length is 0 where that is not known. */
  readonly previous: { readonly bytes: number; readonly salt: number };
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  return encodeFileHeader('KEELSLOG', (bytes) => {
    bytes.writeUInt32LE(header.salt, 16);
    writeU64(bytes, header.sequence, 24);
    writeU64(bytes, header.after, 32);
    writeU64(bytes, header.previous.bytes, 40);
    bytes.writeUInt32LE(header.previous.salt, 48);
  });
}

export function decodeSegmentHeader(content: Buffer, file: string): SegmentHeader & { readonly version: number } {
  return {
    version: checkFileHeader(content, 'KEELSLOG', file),
    salt: content.readUInt32LE(16),
    sequence: readU64(content, 24),
    after: readU64(content, 32),
    previous: { bytes: readU64(content, 40), salt: content.readUInt32LE(48) },
  };
}
