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

/** A volume at its place in a container: the container sees `within` of the volume at `path`. */
interface AttachedVolume {
  readonly path: string;
  readonly volume: FileTree;
  readonly within: string;
}

/** The files of a container or a volume, kept in memory with a size limit. Paths are absolute; `resolve` makes them so. */
export class FileTree {
  readonly #entries = new Map<string, FileEntry>();
  /** The files of volumes by path, which are read-only. */
  readonly #mounted = new Map<string, FileEntry>();
  readonly #mounts = new Set<string>();
  /** Volumes that are shared with other containers; longest path first. */
  #volumes: readonly AttachedVolume[] = [];
  readonly #listeners = new Set<() => void>();
  /** Files whose bytes have room behind them that no other file shares. */
  readonly #growing = new Set<FileEntry>();
  #bytes = 0;
  #mountedReads = 0;

  constructor(directories: readonly string[], nowMs: number) {
    this.#entries.set('/', { type: 'directory', mode: 0o755, modifiedMs: nowMs });
    for (const path of directories) this.makeDirectories(posix.resolve('/', path), nowMs);
  }

  /** How often files were looked at that come from the API, and may change without a notification. */
  get mountedReads(): number {
    return this.#mountedReads;
  }

  /** Calls the listener after each change, other than of files that come from the API. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    const others = this.#volumes.map(({ volume }) => volume.onChange(listener));
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        for (const other of others) other[Symbol.dispose]();
      },
    };
  }

  /** Resolves after a change, or when the signal aborts. */
  async changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        change[Symbol.dispose]();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const change = this.onChange(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Shows a directory of a volume at a path. */
  attach(
    path: string,
    volume: FileTree,
    { within = '/', nowMs }: { readonly within?: string; readonly nowMs: number },
  ): void {
    if (volume.get(within) === undefined) volume.makeDirectories(within, nowMs);
    this.#volumes = [...this.#volumes, { path, volume, within }].sort(
      (left, right) => right.path.length - left.path.length,
    );
  }

  #volumeAt(path: string): { readonly volume: FileTree; readonly path: string } | undefined {
    for (const { path: place, volume, within } of this.#volumes) {
      if (path === place) return { volume, path: within };
      if (path.startsWith(`${place}/`)) return { volume, path: posix.join(within, path.slice(place.length)) };
    }
    return undefined;
  }

  get(path: string): FileEntry | undefined {
    const mounted = this.#mounts.size === 0 ? undefined : this.#mounted.get(path);
    if (mounted !== undefined || this.#isMounted(path)) this.#mountedReads++;
    if (mounted !== undefined) return mounted;
    const place = this.#volumes.length === 0 ? undefined : this.#volumeAt(path);
    return place === undefined ? this.#entries.get(path) : place.volume.get(place.path);
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

  #isMounted(path: string): boolean {
    for (const mount of this.#mounts) if (path === mount || path.startsWith(`${mount}/`)) return true;
    return false;
  }

  #checkWritable(path: string): void {
    if (this.#isMounted(path)) throw new FileError(READ_ONLY);
  }

  read(path: string): Uint8Array {
    const entry = this.get(path);
    if (entry === undefined) throw new FileError(this.#isBelowFile(path) ? 'Not a directory' : NOT_THERE);
    if (entry.type === 'directory') throw new FileError('Is a directory');
    return entry.bytes;
  }

  /** The size of a file; 0 when it is none. */
  sizeOf(path: string): number {
    const entry = this.get(path);
    return entry?.type === 'file' ? entry.bytes.length : 0;
  }

  write(path: string, bytes: Uint8Array, { mode, nowMs }: { readonly mode?: number; readonly nowMs: number }): void {
    this.#checkWritable(path);
    const place = this.#volumeAt(path);
    if (place !== undefined)
      return place.volume.write(place.path, bytes, { nowMs, ...(mode === undefined ? {} : { mode }) });
    const before = this.get(path);
    if (before?.type === 'directory') throw new FileError('Is a directory');
    this.#checkParent(path);
    this.#set(path, { type: 'file', mode: mode ?? before?.mode ?? 0o644, modifiedMs: nowMs, bytes });
  }

  /** Adds bytes to the end of a file, which is created when it does not exist. */
  append(path: string, bytes: Uint8Array, nowMs: number): void {
    const place = this.#volumeAt(path);
    if (place !== undefined && !this.#isMounted(path)) return place.volume.append(place.path, bytes, nowMs);
    const before = this.get(path);
    if (before?.type !== 'file') return this.write(path, bytes.slice(), { nowMs });
    this.#checkWritable(path);
    if (bytes.length === 0) return;
    const length = before.bytes.length + bytes.length;
    const { buffer, byteOffset } = before.bytes;
    const fits = this.#growing.delete(before) && byteOffset + length <= buffer.byteLength;
    const all = fits ? new Uint8Array(buffer, byteOffset, length) : new Uint8Array(2 * length).subarray(0, length);
    if (!fits) all.set(before.bytes);
    all.set(bytes, before.bytes.length);
    const entry: FileEntry = { ...before, modifiedMs: nowMs, bytes: all };
    this.#set(path, entry);
    this.#growing.add(entry);
  }

  changeMode(path: string, mode: number): void {
    this.#checkWritable(path);
    const place = this.#volumeAt(path);
    if (place !== undefined) return place.volume.changeMode(place.path, mode);
    const entry = this.#entries.get(path);
    if (entry === undefined) throw new FileError(NOT_THERE);
    this.#growing.delete(entry);
    this.#set(path, { ...entry, mode });
  }

  makeDirectory(path: string, nowMs: number): void {
    if (this.get(path) !== undefined) throw new FileError('File exists');
    this.#checkWritable(path);
    const place = this.#volumeAt(path);
    if (place !== undefined) return place.volume.makeDirectory(place.path, nowMs);
    this.#checkParent(path);
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
    const places = [...this.#mounts, ...this.#volumes.map((volume) => volume.path)];
    const hasMount = places.some((mount) => mount === path || mount.startsWith(`${path}/`));
    if (path === '/' || hasMount) throw new FileError('Device or resource busy');
    this.#checkWritable(path);
    const place = this.#volumeAt(path);
    if (place !== undefined) return place.volume.remove(place.path);
    for (const below of this.below(path)) this.#delete(below);
    this.#delete(path);
    this.#tell();
  }

  /** The paths of everything below a directory, each directory before its contents. */
  below(path: string): readonly string[] {
    const inside = this.#volumeAt(path);
    if (inside !== undefined && !this.#isMounted(path)) {
      const start = inside.path === '/' ? 0 : inside.path.length;
      return inside.volume.below(inside.path).map((each) => path + each.slice(start));
    }
    const prefix = path === '/' ? '/' : `${path}/`;
    const all = new Set([...this.#entries.keys(), ...this.#mounted.keys()]);
    for (const { path: place, volume, within } of this.#volumes) {
      const start = within === '/' ? 0 : within.length;
      for (const each of volume.below(within)) all.add(place + each.slice(start));
    }
    const found = [...all].filter((each) => each.startsWith(prefix) && each !== path).sort();
    if (this.#mounts.size > 0 && found.some((each) => this.#mounted.has(each))) this.#mountedReads++;
    return found;
  }

  /** The names in a directory. */
  names(path: string): readonly string[] {
    const start = path === '/' ? 1 : path.length + 1;
    return this.below(path)
      .map((each) => each.slice(start))
      .filter((name) => !name.includes('/'));
  }

  #isBelowFile(path: string): boolean {
    return path !== '/' && this.get(posix.dirname(path))?.type === 'file';
  }

  #checkParent(path: string): void {
    const parent = this.get(posix.dirname(path));
    if (parent?.type === 'file') throw new FileError('Not a directory');
    if (parent === undefined) throw new FileError(NOT_THERE);
  }

  #set(path: string, entry: FileEntry): void {
    const before = this.#entries.get(path);
    const bytes = this.#bytes - sizeOf(before) + sizeOf(entry);
    const isFull = bytes > MAX_BYTES || (before === undefined && this.#entries.size >= MAX_ENTRIES);
    if (isFull) throw new FileError('No space left on device');
    this.#bytes = bytes;
    if (before !== undefined) this.#growing.delete(before);
    this.#entries.set(path, entry);
    this.#tell();
  }

  #delete(path: string): void {
    const entry = this.#entries.get(path);
    if (entry !== undefined) this.#growing.delete(entry);
    this.#bytes -= sizeOf(entry);
    this.#entries.delete(path);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function sizeOf(entry: FileEntry | undefined): number {
  if (entry === undefined) return 0;
  return ENTRY_BYTES + (entry.type === 'file' ? entry.bytes.length : 0);
}
