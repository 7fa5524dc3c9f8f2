import { posix } from 'node:path';

/** The total size of one container's files. */
const MAX_BYTES = 1024 * 1024;
const MAX_ENTRIES = 4096;
/** The overhead of an entry. */
const ENTRY_BYTES = 64;

export type FileEntry =
  | { readonly type: 'directory'; readonly mode: number; readonly modifiedMs: number }
  | { readonly type: 'file'; readonly mode: number; readonly modifiedMs: number; readonly bytes: Uint8Array };

/** Files from a volume: a directory, or a single file. */
export interface MountedVolume {
  readonly path: string;
  /** The files do not follow changes of the volume. */
  readonly isFixed: boolean;
  readonly files: readonly { readonly path: string; readonly mode: number; readonly bytes: Uint8Array }[];
}

/** A file error with the message of a C library. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

const NOT_THERE = 'No such file or directory';
const READ_ONLY = 'Read-only file system';
/** The total size of one container's volume files. */
const MAX_MOUNTED_BYTES = 16 * 1024 * 1024;

/** The files of a container, kept in memory with a size limit. Paths are absolute; `resolve` makes them so. */
export class FileTree {
  readonly #entries = new Map<string, FileEntry>();
  /** The files of volumes by path, which are read-only. */
  readonly #mounted = new Map<string, FileEntry>();
  readonly #mounts = new Set<string>();
  #bytes = 0;

  constructor(directories: readonly string[], nowMs: number) {
    this.#entries.set('/', { type: 'directory', mode: 0o755, modifiedMs: nowMs });
    for (const path of directories) this.makeDirectories(posix.resolve('/', path), nowMs);
  }

  get(path: string): FileEntry | undefined {
    return this.#mounted.get(path) ?? this.#entries.get(path);
  }

  /** Replaces the files of volumes, keyed by their full paths. */
  mount(volumes: readonly MountedVolume[], nowMs: number): void {
    this.#mounted.clear();
    this.#mounts.clear();
    let bytes = 0;
    for (const { path, files } of volumes) {
      this.#mounts.add(path);
      const isFile = files.some((file) => file.path === path);
      this.#mountDirectories(isFile ? posix.dirname(path) : path, nowMs);
      for (const file of files) {
        bytes += file.bytes.length;
        if (bytes > MAX_MOUNTED_BYTES) throw new FileError('No space left on device');
        this.#mountDirectories(posix.dirname(file.path), nowMs);
        this.#mounted.set(file.path, { type: 'file', mode: file.mode, modifiedMs: nowMs, bytes: file.bytes });
      }
    }
  }

  #mountDirectories(path: string, nowMs: number): void {
    for (let at = path; this.get(at) === undefined; at = posix.dirname(at))
      this.#mounted.set(at, { type: 'directory', mode: 0o755, modifiedMs: nowMs });
  }

  #checkWritable(path: string): void {
    for (const mount of this.#mounts)
      if (path === mount || path.startsWith(`${mount}/`)) throw new FileError(READ_ONLY);
  }

  read(path: string): Uint8Array {
    const entry = this.get(path);
    if (entry === undefined) throw new FileError(NOT_THERE);
    if (entry.type === 'directory') throw new FileError('Is a directory');
    return entry.bytes;
  }

  write(path: string, bytes: Uint8Array, { mode, nowMs }: { readonly mode?: number; readonly nowMs: number }): void {
    this.#checkWritable(path);
    const before = this.get(path);
    if (before?.type === 'directory') throw new FileError('Is a directory');
    if (this.get(posix.dirname(path))?.type !== 'directory') throw new FileError(NOT_THERE);
    this.#set(path, { type: 'file', mode: mode ?? before?.mode ?? 0o644, modifiedMs: nowMs, bytes });
  }

  makeDirectory(path: string, nowMs: number): void {
    if (this.get(path) !== undefined) throw new FileError('File exists');
    this.#checkWritable(path);
    if (this.get(posix.dirname(path))?.type !== 'directory') throw new FileError(NOT_THERE);
    this.#set(path, { type: 'directory', mode: 0o755, modifiedMs: nowMs });
  }

  makeDirectories(path: string, nowMs: number): void {
    const steps = path.split('/').filter((step) => step !== '');
    for (let count = 1; count <= steps.length; count++) {
      const parent = `/${steps.slice(0, count).join('/')}`;
      const entry = this.get(parent);
      if (entry?.type === 'file') throw new FileError('Not a directory');
      if (entry === undefined) this.makeDirectory(parent, nowMs);
    }
  }

  /** Removes recursively. */
  remove(path: string): void {
    const hasMount = [...this.#mounts].some((mount) => mount === path || mount.startsWith(`${path}/`));
    if (path === '/' || hasMount) throw new FileError('Device or resource busy');
    this.#checkWritable(path);
    for (const below of this.below(path)) this.#delete(below);
    this.#delete(path);
  }

  /** The paths of everything below a directory, each directory before its contents. */
  below(path: string): readonly string[] {
    const prefix = path === '/' ? '/' : `${path}/`;
    const all = new Set([...this.#entries.keys(), ...this.#mounted.keys()]);
    return [...all].filter((each) => each.startsWith(prefix) && each !== path).sort();
  }

  /** The names in a directory. */
  names(path: string): readonly string[] {
    const start = path === '/' ? 1 : path.length + 1;
    return this.below(path)
      .map((each) => each.slice(start))
      .filter((name) => !name.includes('/'));
  }

  #set(path: string, entry: FileEntry): void {
    const before = this.#entries.get(path);
    const bytes = this.#bytes - sizeOf(before) + sizeOf(entry);
    const isFull = bytes > MAX_BYTES || (before === undefined && this.#entries.size >= MAX_ENTRIES);
    if (isFull) throw new FileError('No space left on device');
    this.#bytes = bytes;
    this.#entries.set(path, entry);
  }

  #delete(path: string): void {
    this.#bytes -= sizeOf(this.#entries.get(path));
    this.#entries.delete(path);
  }
}

function sizeOf(entry: FileEntry | undefined): number {
  if (entry === undefined) return 0;
  return ENTRY_BYTES + (entry.type === 'file' ? entry.bytes.length : 0);
}
