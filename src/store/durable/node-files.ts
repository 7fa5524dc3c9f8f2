import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { close, fdatasync, fstatSync, ftruncate, open as openFile, write, writeSync } from 'node:fs';
import type { DurableFile, DurableFiles, ReadableFile } from './durable-files.ts';

/** A real folder, made if it is not there. Files are for their owner only: they hold secrets. */
export async function openFolder(folder: string): Promise<DurableFiles> {
  const path = resolve(folder);
  const firstMade = await mkdir(path, { recursive: true, mode: 0o700 });
  if (firstMade !== undefined) await syncParents(path, dirname(firstMade));
  return openExistingFolder(folder);
}

/** A real folder that must be there; may be on a medium that can only be read. */
export async function openExistingFolder(folder: string): Promise<DurableFiles> {
  const { dev, ino } = await stat(folder);
  return new NodeFiles(folder, `${dev}:${ino}`);
}

/** A folder is only there for good when the one above it is on the disk. */
async function syncParents(path: string, highest: string): Promise<void> {
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    await syncFolder(parent);
    if (parent === highest || parent === dirname(parent)) return;
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class NodeFiles implements DurableFiles {
  readonly folder: string;
  readonly #identity: string;

  constructor(folder: string, identity: string) {
    this.folder = folder;
    this.#identity = identity;
  }

  list(): Promise<string[]> {
    return readdir(this.folder);
  }

  create(name: string): Promise<DurableFile> {
    return openDescriptor(this.#path(name), 'w');
  }

  open(name: string): Promise<DurableFile> {
    return openDescriptor(this.#path(name), 'r+');
  }

  async openToRead(name: string): Promise<ReadableFile> {
    const handle = await open(this.#path(name), 'r');
    return new NodeReadableFile(handle, (await handle.stat()).size);
  }

  rename(from: string, to: string): Promise<void> {
    return rename(this.#path(from), this.#path(to));
  }

  remove(name: string): Promise<void> {
    return rm(this.#path(name), { force: true });
  }

  syncFolder(): Promise<void> {
    return syncFolder(this.folder);
  }

  async isInPlace(): Promise<boolean> {
    const found = await stat(this.folder).catch(() => undefined); // whatever the reason, it cannot be reached
    return found !== undefined && `${found.dev}:${found.ino}` === this.#identity;
  }

  #path(name: string): string {
    return join(this.folder, name);
  }
}

function openDescriptor(path: string, flags: string): Promise<DurableFile> {
  return new Promise((resolve, reject) =>
    openFile(path, flags, 0o600, (error, descriptor) =>
      error === null ? resolve(new NodeFile(descriptor)) : reject(error),
    ),
  );
}

/** A write of this size only goes to memory, which takes less time than handing it to another thread. */
const WRITTEN_AT_ONCE = 64 * 1024;

/**
 * Every commit's way to the disk.
 *
 * Callbacks rather than a FileHandle, which is up to a fifth slower here; on the thread pool rather than on the spot
 * (`fdatasyncSync`), which a single writer would gain from (1.6 times on a disk that syncs in 0.1 ms) but which would stop
 * the whole process for as long as the disk takes.
 */
class NodeFile implements DurableFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(data: Uint8Array, position: number): Promise<void> {
    if (data.byteLength <= WRITTEN_AT_ONCE) return this.#writeAtOnce(data, position);
    return new Promise((resolve, reject) => {
      const writeFrom = (done: number): void => {
        write(this.#descriptor, data, done, data.byteLength - done, position + done, (error, written) => {
          if (error !== null) reject(error);
          else if (done + written < data.byteLength) writeFrom(done + written);
          else resolve();
        });
      };
      writeFrom(0);
    });
  }

  async #writeAtOnce(data: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < data.byteLength;) {
      done += writeSync(this.#descriptor, data, done, data.byteLength - done, position + done);
    }
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) =>
      fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error))),
    );
  }

  truncate(length: number): Promise<void> {
    return new Promise((resolve, reject) =>
      ftruncate(this.#descriptor, length, (error) => (error === null ? resolve() : reject(error))),
    );
  }

  isRemoved(): boolean {
    try {
      return fstatSync(this.#descriptor).nlink === 0;
    } catch {
      return true; // as a remote file system answers
    }
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => close(this.#descriptor, (error) => (error ? reject(error) : resolve())));
  }
}

class NodeReadableFile implements ReadableFile {
  readonly #handle: FileHandle;
  readonly size: number;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  async read(position: number, length: number): Promise<Buffer> {
    const content = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.#handle.read(content, done, length - done, position + done);
      if (bytesRead === 0)
        throw new Error(`Cannot read ${length} bytes at offset ${position}: the file ends at ${position + done}`);
      done += bytesRead;
    }
    return content;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
