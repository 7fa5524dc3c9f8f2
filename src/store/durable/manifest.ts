import type { Revision } from '../store.ts';
import { type DurableFile, type DurableFiles, FileDamage } from './durable-files.ts';
import { checkFileHeader, encodeFileHeader, HEADER_LENGTH, sealFileHeader } from './file-header.ts';
import { MANIFEST_NAME, unfinished } from './file-names.ts';
import { readU64, writeU64 } from './u64.ts';

/** How far the store reached: whatever a mark names was on the disk before the mark was written. */
export interface StoreMark {
  /** The newest segment, 0 when there is no log. */
  readonly sequence: number;
  /** The salt of that segment, which tells it from any other of its name. */
  readonly salt: number;
  /** Where the last acknowledged frame of that segment ends. */
  readonly offset: number;
  /** The newest acknowledged revision. */
  readonly revision: Revision;
  /** The newest checkpoint, 0 when there is none. */
  readonly checkpoint: Revision;
  /** Whether the store was closed in good order, so that nothing was ever written after this mark. */
  readonly isClosed: boolean;
}

/** Each slot has a page of its own, so that a write that goes wrong can spoil only one of them. */
const SLOT_BYTES = 4096;
const SLOTS = [0, 1] as const;
const CLOSED = 1;

/**
 * The file that says which other files there must be and how far the log was acknowledged.
 *
 * It has two slots, which are overwritten in turn; the one with the higher count holds. A mark is written after every
 * group of commits, before they are acknowledged, without a sync of its own: it survives the end of the process at once,
 * and the end of the power as soon as `sync` was called, which the group commit does a few milliseconds later.
 */
export class Manifest {
  readonly #file: DurableFile;
  /** The bytes of each slot, used again and again: this is on every commit's way. */
  readonly #slots = SLOTS.map(() => emptySlot());
  #mark: StoreMark;
  #count: number;
  #isOnDisk = true;
  /** After a failed sync the system may report success without having written anything, so it is not asked again. */
  #failure: unknown;

  private constructor(file: DurableFile, mark: StoreMark, count: number) {
    this.#file = file;
    this.#mark = mark;
    this.#count = count;
  }

  /** Goes on with the folder's manifest, which needs no space, or makes one; the mark is on the disk when this resolves. */
  static async open(files: DurableFiles, mark: StoreMark): Promise<Manifest> {
    const found = await readNewest(files);
    if (found === undefined) return Manifest.create(files, mark);
    const manifest = new Manifest(await files.open(MANIFEST_NAME), found.mark, found.count);
    try {
      for (const _slot of SLOTS) {
        await manifest.note(mark); // to the older slot, which is perhaps damaged
        await manifest.sync();
      }
    } catch (error) {
      await manifest.close().catch(() => undefined); // the first error tells more
      throw error;
    }
    return manifest;
  }

  /** Replaces the folder's manifest, if there is one, by a new one; it is on the disk when this resolves. */
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
      await file.close().catch(() => undefined); // the first error tells more
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

/** Replaces the folder's manifest; for those who do not go on writing. */
export async function writeManifest(files: DurableFiles, mark: StoreMark): Promise<void> {
  await (await Manifest.create(files, mark)).close();
}

/** A store that is one checkpoint and has no log, or, at revision 0, nothing at all. */
export function checkpointMark(revision: Revision): StoreMark {
  return { sequence: 0, salt: 0, offset: 0, revision, checkpoint: revision, isClosed: true };
}

/** What the folder's manifest says; `undefined` if there is none. Throws `FileDamage` if neither slot can be read. */
export async function readMark(files: DurableFiles): Promise<StoreMark | undefined> {
  return (await readNewest(files))?.mark;
}

interface CountedMark {
  /** How many marks were written before and with this one. */
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
