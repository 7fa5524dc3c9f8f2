import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import {
  type CsiRecords,
  MemoryTable,
  type RecordTable,
  type SnapshotGroupRecord,
  type SnapshotRecord,
  type VolumeRecord,
} from './records.ts';

/**
 * Records in a folder, one file each. A file is replaced as a whole and written through to the disk before a call is answered.
 *
 * Assumes: one process at a time uses the folder.
 */
export function folderRecords(folder: string): CsiRecords {
  return {
    volumes: new FolderTable<VolumeRecord>(join(folder, 'volumes')),
    snapshots: new FolderTable<SnapshotRecord>(join(folder, 'snapshots')),
    groups: new FolderTable<SnapshotGroupRecord>(join(folder, 'groups')),
  };
}

class FolderTable<Entry extends { readonly id: string; readonly name: string }> implements RecordTable<Entry> {
  readonly #folder: string;
  #loaded: Promise<MemoryTable<Entry>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(id: string): Promise<Entry | undefined> {
    return (await this.#table()).get(id);
  }

  async named(name: string): Promise<Entry | undefined> {
    return (await this.#table()).named(name);
  }

  async list(): Promise<readonly Entry[]> {
    return (await this.#table()).list();
  }

  async put(entry: Entry): Promise<void> {
    const table = await this.#table();
    const path = this.#path(entry.id);
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(entry));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await this.#syncFolder();
    await table.put(entry);
  }

  async delete(id: string): Promise<void> {
    const table = await this.#table();
    await rm(this.#path(id), { force: true });
    await this.#syncFolder();
    await table.delete(id);
  }

  #path(id: string): string {
    return join(this.#folder, `${encodeURIComponent(id)}.json`);
  }

  /** Makes the names in the folder survive a crash of the machine. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  #table(): Promise<MemoryTable<Entry>> {
    this.#loaded ??= this.#load();
    this.#loaded.catch(() => (this.#loaded = undefined)); // the next call tries again
    return this.#loaded;
  }

  async #load(): Promise<MemoryTable<Entry>> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const table = new MemoryTable<Entry>();
    for (const file of await readdir(this.#folder)) {
      const path = join(this.#folder, file);
      if (file.endsWith('.new')) await rm(path); // a write that a crash has cut off
      if (!file.endsWith('.json')) continue;
      try {
        await table.put(JSON.parse(await readFile(path, 'utf8')) as Entry);
      } catch (cause) {
        throw new Error(`Cannot read the record "${path}": ${messageOf(cause)}`, { cause });
      }
    }
    return table;
  }
}
