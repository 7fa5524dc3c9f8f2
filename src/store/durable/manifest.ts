import type { Revision } from '../store.ts';
import { type DurableFile, type DurableFiles, FileDamage } from './durable-files.ts';
import { checkFileHeader, encodeFileHeader, HEADER_LENGTH, sealFileHeader } from './file-header.ts';
import { MANIFEST_NAME, unfinished } from './file-names.ts';
import { readU64, writeU64 } from './u64.ts';

/** How far the store reached: everything a mark names was on disk before the mark was written. */
export interface StoreMark {
  /** The newest segment, 0 when there is no log. */
  readonly sequence: number;
  /** The salt of that segment, which distinguishes it from any other segment of the same name. */
  readonly salt: number;
  /** Where the last acknowledged frame of that segment ends. */
  readonly offset: number;
  /** The newest acknowledged revision. */
  readonly revision: Revision;
  /** The newest checkpoint, 0 when there is none. */
  readonly checkpoint: Revision;
  /** Whether the store was closed in good order, so that nothing was written after this mark. */
  readonly isClosed: boolean;
}

/** Each slot has its own page, so that a failed write can corrupt only one of them. */
const SLOT_BYTES = 4096;
const SLOTS = [0, 1] as const;
const CLOSED = 1;

/**
 * The file that lists which other files must exist and how far the log was acknowledged.
 *
 * It has two slots, overwritten in turn; the one with the higher count is valid. A mark is written after every group of
 * commits, before they are acknowledged, but not synced with them: it survives a crash of the process at once, and a
 * power failure once `sync` was called, which the group commit does a few milliseconds later.
 */
export class Manifest {
  readonly #file: DurableFile;
  /** The bytes of each slot, reused because every commit writes one. */
  readonly #slots = SLOTS.map(() => emptySlot());
  #mark: StoreMark;
  #count: number;
  #isOnDisk = true;
  /**
   * After a failed sync the system may report success without having written anything, so `sync` is not tried again.
   */
  #failure: unknown;

  private constructor(file: DurableFile, mark: StoreMark, count: number) {
    this.#file = file;
    this.#mark = mark;
    this.#count = count;
  }

  /** Continues the folder's manifest, which needs no space, or creates one; the mark is on disk when this resolves. */
  static async open(files: DurableFiles, mark: StoreMark): Promise<Manifest> {
    const found = await readNewest(files);
    if (found === undefined) return Manifest.create(files, mark);
    const manifest = new Manifest(await files.open(MANIFEST_NAME), found.mark, found.count);
    try {
      for (const _slot of SLOTS) {
        await manifest.note(mark); // into the older slot, which may be corrupt
        await manifest.sync();
      }
    } catch (error) {
      await manifest.close().catch(() => undefined); // the first error is the informative one
      throw error;
    }
    return manifest;
  }

  /** Creates the folder's manifest, replacing an existing one; it is on disk when this resolves. */
  static async create(files: DurableFiles, mark: StoreMark): Promise<Manifest> {
    const name = unfinished(MANIFEST_NAME);
    const file = await files.create(name);
    try {
      for (const slot of SLOTS) {
        const bytes = emptySlot();
        fillSlot(bytes, mark, SLOTS.length - slot);
        await file.write(bytes, slot * SLOT_BYTES);
      }
      await file.sync();
      await files.rename(name, MANIFEST_NAME);
      await files.syncFolder();
    } catch (error) {
      await file.close().catch(() => undefined); // the first error is the informative one
      throw error;
    }
    return new Manifest(file, mark, SLOTS.length);
  }

  get mark(): StoreMark {
    return this.#mark;
  }

  /** Writes a mark, without waiting for the disk. */
  note(change: Partial<StoreMark>): Promise<void> {
    this.#mark = { ...this.#mark, ...change };
    this.#count += 1;
    this.#isOnDisk = false;
    const slot = this.#count % SLOTS.length;
    const bytes = this.#slots[slot] as Buffer;
    fillSlot(bytes, this.#mark, this.#count);
    return this.#file.write(bytes, slot * SLOT_BYTES);
  }

  /** Resolves once the newest mark is on the disk. */
  async sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isOnDisk) return;
    const count = this.#count;
    try {
      await this.#file.sync();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
    this.#isOnDisk = this.#count === count;
  }

  isRemoved(): boolean {
    return this.#file.isRemoved();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Replaces the folder's manifest, for callers that do not keep it open. */
export async function writeManifest(files: DurableFiles, mark: StoreMark): Promise<void> {
  await (await Manifest.create(files, mark)).close();
}

/** The mark of a store that is one checkpoint without a log or, at revision 0, empty. */
export function checkpointMark(revision: Revision): StoreMark {
  return { sequence: 0, salt: 0, offset: 0, revision, checkpoint: revision, isClosed: true };
}

/** The folder's mark; `undefined` if there is no manifest. Throws `FileDamage` if neither slot can be read. */
export async function readMark(files: DurableFiles): Promise<StoreMark | undefined> {
  return (await readNewest(files))?.mark;
}

interface CountedMark {
  /** Number of marks written so far, including this one. */
  readonly count: number;
  readonly mark: StoreMark;
}

async function readNewest(files: DurableFiles): Promise<CountedMark | undefined> {
  if (!(await files.list()).includes(MANIFEST_NAME)) return undefined;
  const file = await files.openToRead(MANIFEST_NAME);
  try {
    const found: CountedMark[] = [];
    let damage: unknown;
    for (const slot of SLOTS) {
      const length = Math.max(0, Math.min(HEADER_LENGTH, file.size - slot * SLOT_BYTES));
      try {
        found.push(decodeMark(length === 0 ? Buffer.alloc(0) : await file.read(slot * SLOT_BYTES, length)));
      } catch (error) {
        if (!(error instanceof FileDamage)) throw error;
        damage = error;
      }
    }
    const newest = found.sort((left, right) => left.count - right.count).at(-1);
    if (newest === undefined) throw damage;
    return newest;
  } finally {
    await file.close();
  }
}

function emptySlot(): Buffer {
  return encodeFileHeader('KEELSMAN', () => undefined);
}

function fillSlot(bytes: Buffer, mark: StoreMark, count: number): void {
  writeU64(bytes, count, 16);
  bytes.writeUInt32LE(mark.sequence, 24);
  bytes.writeUInt32LE(mark.salt, 28);
  writeU64(bytes, mark.offset, 32);
  writeU64(bytes, mark.revision, 40);
  writeU64(bytes, mark.checkpoint, 48);
  bytes.writeUInt32LE(mark.isClosed ? CLOSED : 0, 56);
  sealFileHeader(bytes);
}

function decodeMark(content: Buffer): CountedMark {
  checkFileHeader(content, 'KEELSMAN', MANIFEST_NAME);
  return {
    count: readU64(content, 16),
    mark: {
      sequence: content.readUInt32LE(24),
      salt: content.readUInt32LE(28),
      offset: readU64(content, 32),
      revision: readU64(content, 40),
      checkpoint: readU64(content, 48),
      isClosed: (content.readUInt32LE(56) & CLOSED) !== 0,
    },
  };
}
