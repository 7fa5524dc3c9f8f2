import { Buffer } from 'node:buffer';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../base/index.ts';
import type { Revision } from '../store.ts';

/** Folders to try: `/dev/shm` is a file system in memory, where a write never waits for a disk. */
const FOLDERS = ['/dev/shm', tmpdir()];

/** The revision is stored twice: a reader that meets a half-finished write sees two different numbers. */
const BOARD_BYTES = 16;

/**
 * An unlinked file in which one process publishes its newest revision to the processes that inherited the descriptor.
 * They read it with one system call, without waiting for the writer.
 */
export class RevisionBoard implements Disposable {
  readonly fd: number;
  readonly #bytes = Buffer.alloc(BOARD_BYTES);
  #said: Revision = NaN;

  private constructor(fd: number) {
    this.fd = fd;
    this.#write(NaN); // allocates the file; NaN means no revision yet
  }

  /** Undefined where no such file can be created. */
  static open(random: Random): RevisionBoard | undefined {
    for (const folder of FOLDERS) {
      const path = join(folder, `keelson-${random.int(2 ** 48).toString(36)}`);
      try {
        const fd = openSync(path, 'wx+', 0o600);
        unlinkSync(path);
        return new RevisionBoard(fd);
      } catch {
        // try the next folder; with no board at all, readers send a request
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

/**
 * Returns a reader for the board behind a descriptor; it gives undefined when there is no consistent revision at the
 * moment.
 */
export function boardReader(fd: number): () => Revision | undefined {
  const bytes = Buffer.alloc(BOARD_BYTES);
  return () => {
    if (readSync(fd, bytes, 0, BOARD_BYTES, 0) !== BOARD_BYTES) return undefined;
    const revision = bytes.readDoubleLE(0);
    return bytes.readDoubleLE(8) === revision ? revision : undefined;
  };
}
