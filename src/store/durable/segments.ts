import type { Revision } from '../store.ts';
import { readU64, writeU64 } from './u64.ts';
import { type DurableFiles, FileDamage } from './durable-files.ts';
import { checkFileHeader, encodeFileHeader, HEADER_LENGTH } from './file-header.ts';

/** The header of a log segment. */
export interface SegmentHeader {
  /** 1, 2, 3, … without gaps. */
  readonly sequence: number;
  /**
   * A random number that goes into every checksum of the segment, so that bytes from elsewhere are never taken for its
   * frames.
   */
  readonly salt: number;
  /** The newest revision when the segment was started. */
  readonly after: Revision;
  /** How the previous segment ends; `bytes` is 0 where that is unknown. */
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

/** One file of the log. */
export interface Segment extends SegmentHeader {
  readonly name: string;
  /** Format version. */
  readonly version: number;
  /** Length up to the end of its last frame. */
  bytes: number;
}

/** The log's files, oldest first; the last one is being written. */
export class Segments {
  #all: Segment[];

  constructor(all: readonly Segment[]) {
    this.#all = [...all];
  }

  get newest(): Segment | undefined {
    return this.#all.at(-1);
  }

  add(segment: Segment): void {
    this.#all.push(segment);
  }

  /** The segments that a checkpoint at `revision` makes obsolete. The newest segment never is. */
  coveredBy(revision: Revision): Segment[] {
    return this.#all.filter((_segment, index) => (this.#all[index + 1]?.after ?? Infinity) <= revision);
  }

  forget(gone: readonly Segment[]): void {
    this.#all = this.#all.filter((segment) => !gone.includes(segment));
  }
}

/** The segments found in the folder; their `bytes` are the file sizes. */
export async function readSegmentHeaders(
  files: DurableFiles,
  found: readonly { readonly name: string; readonly sequence: number }[],
): Promise<Segment[]> {
  return Promise.all(
    found.map(async ({ name, sequence }) => {
      const file = await files.openToRead(name);
      try {
        const header = decodeSegmentHeader(await file.read(0, Math.min(HEADER_LENGTH, file.size)), name);
        if (header.sequence !== sequence)
          throw new FileDamage(name, 0, `the header says that this is segment ${header.sequence}`);
        return { ...header, name, bytes: file.size };
      } finally {
        await file.close();
      }
    }),
  );
}
