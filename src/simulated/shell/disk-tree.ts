import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, posix } from 'node:path';
import { type FileEntry, FileError, FileTree } from './file-tree.ts';

/** The largest file that a simulated program reads. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ENTRIES = 4096;
const MODE = 0o7777;

const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EEXIST: 'File exists',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ENOSPC: 'No space left on device',
  EBUSY: 'Device or resource busy',
};

/** A volume whose files are in a folder of this machine: what simulated programs write there is on its disk. Links are not followed. */
export class DiskTree extends FileTree {
  readonly #folder: string;

  constructor(folder: string) {
    super([], 0);
    this.#folder = folder;
  }

  override get(path: string): FileEntry | undefined {
    const place = this.#place(path);
    if (this.#hasLink(path)) return undefined;
    // the folder itself may be a link that a driver has made
    const stats = attempt(() => statSync(place, { throwIfNoEntry: false }));
    if (stats === undefined) return undefined;
    const { mode, mtimeMs: modifiedMs } = stats;
    if (stats.isDirectory()) return { type: 'directory', mode: mode & MODE, modifiedMs };
    if (!stats.isFile()) return undefined;
    const read = (): Uint8Array => {
      if (stats.size > MAX_FILE_BYTES) throw new FileError('File too large');
      return attempt(() => readFileSync(place));
    };
    return {
      type: 'file',
      mode: mode & MODE,
      modifiedMs,
      get bytes() {
        return read();
      },
    };
  }

  override write(path: string, bytes: Uint8Array, { mode }: { readonly mode?: number; readonly nowMs: number }): void {
    attempt(() => {
      const place = this.#checked(path);
      writeFileSync(place, bytes);
      if (mode !== undefined) chmodSync(place, mode);
    });
  }

  override append(path: string, bytes: Uint8Array): void {
    attempt(() => appendFileSync(this.#checked(path), bytes));
  }

  override changeMode(path: string, mode: number): void {
    attempt(() => chmodSync(this.#checked(path), mode));
  }

  override makeDirectory(path: string): void {
    attempt(() => mkdirSync(this.#checked(path)));
  }

  override makeDirectories(path: string): void {
    if (existsSync(this.#folder)) attempt(() => mkdirSync(this.#checked(path), { recursive: true }));
  }

  override remove(path: string): void {
    if (path === '/') throw new FileError('Device or resource busy');
    attempt(() => rmSync(this.#checked(path), { recursive: true, force: true }));
  }

  override below(path: string): readonly string[] {
    const found: string[] = [];
    const walk = (at: string): void => {
      if (this.get(at)?.type !== 'directory') return;
      for (const name of attempt(() => readdirSync(this.#place(at))).toSorted()) {
        if (found.length >= MAX_ENTRIES) throw new FileError('File list too long');
        const below = posix.join(at, name);
        found.push(below);
        walk(below);
      }
    };
    walk(path);
    return found;
  }

  #place(path: string): string {
    return join(this.#folder, ...path.split('/'));
  }

  #checked(path: string): string {
    if (this.#hasLink(path)) throw new FileError('Too many levels of symbolic links');
    return this.#place(path);
  }

  /** A link in the volume may lead anywhere on the machine, which simulated programs must not see. */
  #hasLink(path: string): boolean {
    let place = this.#folder;
    return path
      .split('/')
      .filter((name) => name !== '')
      .some((name) => {
        place = join(place, name);
        return attempt(() => lstatSync(place, { throwIfNoEntry: false }))?.isSymbolicLink() === true;
      });
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new FileError(MESSAGES[code] ?? `Input/output error (${code})`);
  }
}
