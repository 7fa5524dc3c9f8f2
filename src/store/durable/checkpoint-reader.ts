import { crc32 } from 'node:zlib';
import { SlicedEntry } from '../mvcc/sliced-entry.ts';
import type { Entry } from '../store.ts';
import { type CheckpointHeader, decodeCheckpointHeader, ENTRY_HEAD, TABLE_ROW } from './checkpoint-format.ts';
import { type DurableFiles, FileDamage, type ReadableFile } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { readU64 } from './u64.ts';

export interface CheckpointVisitor {
  /** Receives each entry of a checkpoint, in key order. Values are slices of the block they were read in. */
  entry(entry: Entry, deadlineMs: number): void;
  /** Receives each block that cannot be read. */
  damage?(damage: FileDamage): void;
}

/**
 * Reads a whole checkpoint.
 *
 * Throws `Damaged`, with the offset, at the first corrupt byte. If the visitor has `damage`, only a corrupt header or
 * table throws.
 */
export async function readCheckpoint(
  files: DurableFiles,
  name: string,
  visitor: CheckpointVisitor,
): Promise<CheckpointHeader> {
  const report = (damage: FileDamage): void => {
    if (visitor.damage === undefined) throw damage;
    visitor.damage(damage);
  };
  const file = await files.openToRead(name);
  try {
    const header = decodeCheckpointHeader(await file.read(0, Math.min(HEADER_LENGTH, file.size)), name);
    const blocks = await readTable(file, header, name);
    let entries = 0;
    let next = readBlock(file, blocks[0]);
    for (const [index, block] of blocks.entries()) {
      const content = await next;
      next = readBlock(file, blocks[index + 1]); // the disk works while this block is decoded
      next.catch(() => undefined); // awaited in the next round, or irrelevant because this one throws
      if (crc32(content) === block.crc) entries += readEntries(content, visitor);
      else report(new FileDamage(name, block.offset, 'the checksum of a block is wrong'));
    }
    if (entries !== header.entryCount)
      report(new FileDamage(name, 0, `${entries} entries instead of ${header.entryCount}`));
    return header;
  } finally {
    await file.close();
  }
}

interface Block {
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
}

async function readTable(file: ReadableFile, header: CheckpointHeader, name: string): Promise<Block[]> {
  const { tableOffset, blockCount } = header;
  const length = blockCount * TABLE_ROW;
  if (tableOffset + length !== file.size)
    throw new FileDamage(name, file.size, `the file should end at ${tableOffset + length}`);
  const table = length === 0 ? Buffer.alloc(0) : await file.read(tableOffset, length);
  if (crc32(table) !== header.tableCrc) throw new FileDamage(name, tableOffset, 'the checksum of the table is wrong');
  let offset = HEADER_LENGTH;
  return Array.from({ length: blockCount }, (_item, index) => {
    const block = {
      offset,
      length: table.readUInt32LE(index * TABLE_ROW),
      crc: table.readUInt32LE(index * TABLE_ROW + 4),
    };
    offset += block.length;
    return block;
  });
}

async function readBlock(file: ReadableFile, block: Block | undefined): Promise<Buffer> {
  return block === undefined ? Buffer.alloc(0) : file.read(block.offset, block.length);
}

function readEntries(block: Buffer, visitor: CheckpointVisitor): number {
  let count = 0;
  for (let at = 0; at < block.length; count++) {
    const keyAt = at + ENTRY_HEAD;
    const valueAt = keyAt + block.readUInt32LE(at);
    const end = valueAt + block.readUInt32LE(at + 4);
    const slice = { of: block, start: valueAt, end };
    const revisions = { createRevision: readU64(block, at + 8), modRevision: readU64(block, at + 16) };
    const entry = new SlicedEntry(block.toString('utf8', keyAt, valueAt), slice, revisions);
    visitor.entry(entry, readU64(block, at + 24));
    at = end;
  }
  return count;
}
