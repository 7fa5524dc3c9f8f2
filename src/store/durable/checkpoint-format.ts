import type { Revision } from '../store.ts';
import { checkFileHeader, encodeFileHeader } from './file-header.ts';
import { readU64, writeU64 } from './u64.ts';

/** The header of a checkpoint. It is written last, when all of its values are known. */
export interface CheckpointHeader {
  /** Format version. */
  readonly version: number;
  readonly revision: Revision;
  /** The oldest readable revision, as set by explicit compaction. */
  readonly floor: Revision;
  readonly entryCount: number;
  readonly tableOffset: number;
  readonly blockCount: number;
  readonly tableCrc: number;
}

/** Entries are grouped in blocks of about this size. A value keeps its whole block in memory, so blocks are small. */
export const BLOCK_BYTES = 256 * 1024;
/** Bytes of a table row: a block's length and its checksum. */
export const TABLE_ROW = 8;
/** Bytes of an entry's head: key length, value length, creation, last write, deadline; the key and the value follow. */
export const ENTRY_HEAD = 32;

export function encodeCheckpointHeader(header: Omit<CheckpointHeader, 'version'>): Buffer {
  return encodeFileHeader('KEELSCKP', (bytes) => {
    writeU64(bytes, header.revision, 16);
    writeU64(bytes, header.floor, 24);
    writeU64(bytes, header.entryCount, 32);
    writeU64(bytes, header.tableOffset, 40);
    bytes.writeUInt32LE(header.blockCount, 48);
    bytes.writeUInt32LE(header.tableCrc, 52);
  });
}

export function decodeCheckpointHeader(content: Buffer, file: string): CheckpointHeader {
  return {
    version: checkFileHeader(content, 'KEELSCKP', file),
    revision: readU64(content, 16),
    floor: readU64(content, 24),
    entryCount: readU64(content, 32),
    tableOffset: readU64(content, 40),
    blockCount: content.readUInt32LE(48),
    tableCrc: content.readUInt32LE(52),
  };
}
