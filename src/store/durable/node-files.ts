import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { close, fdatasync, fstatSync, ftruncate, open as openFile, write, writeSync } from 'node:fs';
import { makeDurableFolder, syncFolder } from '../../system/index.ts';
import type { DurableFile, DurableFiles, ReadableFile } from './durable-files.ts';

/** Opens a real folder, creating it if necessary. Only the owner may read the files: they hold secrets. */
export async function openFolder(folder: string): Promise<DurableFiles> {
  await makeDurableFolder(folder);
  return openExistingFolder(folder);
}

/** Opens a real folder that must exist; it may be on a read-only medium. */
export async function openExistingFolder(folder: string): Promise<DurableFiles> {
  const { dev, ino } = await stat(folder);
  return new NodeFiles(folder, `${dev}:${ino}`);
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
    const found = await stat(this.folder).catch(() => undefined); // for any error, it cannot be reached
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

/** Up to this size a write, which only goes to memory, takes less time than handing it to another thread. */
const MAX_SYNCHRONOUS_WRITE_BYTES = 64 * 1024;

/**
 * Every commit goes through this class.
 *
 * It uses callbacks because a FileHandle is up to a fifth slower here. It uses the thread pool because a synchronous
 * sync (`fdatasyncSync`), which would make a single writer 1.6 times as fast on a disk that syncs in 0.1 ms, would
 * block the whole process while the disk works.
 */
class NodeFile implements DurableFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(data: Uint8Array, position: number): Promise<void> {
    if (data.byteLength <= MAX_SYNCHRONOUS_WRITE_BYTES) return this.#writeSynchronously(data, position);
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

  async #writeSynchronously(data: Uint8Array, position: number): Promise<void> {
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
      return true; // some remote file systems answer so
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
