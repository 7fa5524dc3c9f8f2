import { crc32 } from 'node:zlib';
import { copyValue, valueSize } from '../mvcc/sliced-entry.ts';
import type { Entry, Revision } from '../store.ts';
import { BLOCK_BYTES, encodeCheckpointHeader, ENTRY_HEAD, TABLE_ROW } from './checkpoint-format.ts';
import type { DurableFile, DurableFiles } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { checkpointName, unfinished } from './file-names.ts';
import { writeU64 } from './u64.ts';

export interface CheckpointSource {
  readonly revision: Revision;
  readonly floor: Revision;
  /** In key order. */
  readonly entries: Iterable<Entry> | AsyncIterable<Entry>;
  /** Returns 0 for an entry without a deadline. */
  readonly deadlineOf: (entry: Entry) => number;
}

export interface WrittenCheckpoint {
  readonly name: string;
  readonly bytes: number;
}

/** Synced in steps of this size, so that commits never wait for the whole file. */
const SYNC_EVERY_BYTES = 8 * 1024 * 1024;

/**
 * Writes a whole store into one file. The file gets its final name only when it is complete and on disk.
 *
 * Ends: by throwing the file error or the signal's reason; the partial file is then removed.
 */
export async function writeCheckpoint(
  files: DurableFiles,
  source: CheckpointSource,
  options: { readonly signal?: AbortSignal } = {},
): Promise<WrittenCheckpoint> {
  const name = checkpointName(source.revision);
  try {
    const file = await files.create(unfinished(name));
    const writer = new CheckpointWriter(file);
    try {
      await writer.writeAll(source, options.signal);
    } finally {
      await file.close();
    }
    await files.rename(unfinished(name), name);
    await files.syncFolder();
    return { name, bytes: writer.bytes };
  } catch (error) {
    await files.remove(unfinished(name)).catch(() => undefined); // the next start removes it; the first error is the informative one
    throw error;
  }
}

class CheckpointWriter {
  readonly #file: DurableFile;
  readonly #table: { readonly length: number; readonly crc: number }[] = [];
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #blockLength = 0;
  #position = HEADER_LENGTH;
  #syncedTo = 0;
  #entryCount = 0;

  constructor(file: DurableFile) {
    this.#file = file;
  }

  get bytes(): number {
    return this.#position;
  }

  async writeAll(source: CheckpointSource, signal: AbortSignal | undefined): Promise<void> {
    for await (const entry of source.entries) {
      const keyLength = Buffer.byteLength(entry.key);
      const length = ENTRY_HEAD + keyLength + valueSize(entry);
      if (this.#blockLength > 0 && this.#blockLength + length > BLOCK_BYTES) {
        await this.#endBlock();
        signal?.throwIfAborted();
      }
      if (length > this.#block.length) this.#block = Buffer.allocUnsafeSlow(length);
      this.#addEntry(entry, keyLength, source.deadlineOf(entry));
    }
    if (this.#blockLength > 0) await this.#endBlock();
    await this.#finish(source);
  }

  #addEntry(entry: Entry, keyLength: number, deadlineMs: number): void {
    const block = this.#block;
    let at = block.writeUInt32LE(keyLength, this.#blockLength);
    const size = valueSize(entry);
    at = block.writeUInt32LE(size, at);
    at = writeU64(block, entry.createRevision, at);
    at = writeU64(block, entry.modRevision, at);
    at = writeU64(block, deadlineMs, at);
    at += block.write(entry.key, at, 'utf8');
    copyValue(entry, block, at);
    this.#blockLength = at + size;
    this.#entryCount += 1;
  }

  async #endBlock(): Promise<void> {
    const block = this.#block.subarray(0, this.#blockLength);
    this.#table.push({ length: block.length, crc: crc32(block) });
    await this.#append(block);
    this.#blockLength = 0;
    if (this.#position - this.#syncedTo < SYNC_EVERY_BYTES) return;
    await this.#file.sync();
    this.#syncedTo = this.#position;
  }

  async #finish({ revision, floor }: CheckpointSource): Promise<void> {
    const table = Buffer.alloc(this.#table.length * TABLE_ROW);
    this.#table.forEach((row, index) => {
      table.writeUInt32LE(row.length, index * TABLE_ROW);
      table.writeUInt32LE(row.crc, index * TABLE_ROW + 4);
    });
    const tableOffset = this.#position;
    if (table.length > 0) await this.#append(table);
    const blockCount = this.#table.length;
    const header = { revision, floor, entryCount: this.#entryCount, tableOffset, blockCount, tableCrc: crc32(table) };
    await this.#file.write(encodeCheckpointHeader(header), 0);
    await this.#file.sync();
  }

  async #append(data: Buffer): Promise<void> {
    await this.#file.write(data, this.#position);
    this.#position += data.length;
  }
}
