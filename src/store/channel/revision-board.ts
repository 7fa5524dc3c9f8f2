import { Buffer } from 'node:buffer';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../base/index.ts';
import type { Revision } from '../store.ts';

/** Memory that looks like files, where the system has it; a write there never waits for a disk. */
const FOLDERS = ['/dev/shm', tmpdir()];

/** The revision twice: a reader that meets the writer halfway finds two that differ. */
const BOARD_BYTES = 16;

/**
 * A file without a name in which one process says the newest revision, for other processes that have been given its
 * descriptor: they learn it with one system call, without waiting for the process that wrote it.
 */
export class RevisionBoard implements Disposable {
  readonly fd: number;
  readonly #bytes = Buffer.alloc(BOARD_BYTES);
  #said: Revision = NaN;

  private constructor(fd: number) {
    this.fd = fd;
    this.#write(NaN); // the file has its room from now on, and says nothing yet
  }

  /** Undefined where no such file can be made. */
  static open(random: Random): RevisionBoard | undefined {
    for (const folder of FOLDERS) {
      const path = join(folder, `keelson-${random.int(2 ** 48).toString(36)}`);
      try {
        const fd = openSync(path, 'wx+', 0o600);
        unlinkSync(path);
        return new RevisionBoard(fd);
      } catch {
        // there may be another folder; without any, readers ask
      }
    }
    return undefined;
  }

  say(revision: Revision): void {
    if (revision === this.#said) return;
    this.#said = revision;
    this.#write(revision);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }

  #write(revision: Revision): void {
    this.#bytes.writeDoubleLE(revision, 0);
    this.#bytes.writeDoubleLE(revision, 8);
    writeSync(this.fd, this.#bytes, 0, BOARD_BYTES, 0);
  }
}

/** Reads a board by its descriptor; undefined when nothing is to be read there just now. */
export function boardReader(fd: number): () => Revision | undefined {
  const bytes = Buffer.alloc(BOARD_BYTES);
  return () => {
    if (readSync(fd, bytes, 0, BOARD_BYTES, 0) !== BOARD_BYTES) return undefined;
    const revision = bytes.readDoubleLE(0);
    return bytes.readDoubleLE(8) === revision ? revision : undefined;
  };
}
