import * as fs from 'node:fs';
import * as disk from 'node:fs/promises';

type Done = void | Promise<void>;

/** Calls for files. They are awaited by the caller, whether they are done at once or on another thread. */
export interface FileCalls {
  mkdir(path: string, mode: number): Done;
  /** Makes those above it that are missing, too. */
  mkdirAll(path: string, mode: number): Done;
  chmod(path: string, mode: number): Done;
  lchown(path: string, uid: number, gid: number): Done;
  writeFile(path: string, bytes: Uint8Array, mode: number): Done;
  readFile(path: string): Uint8Array | Promise<Uint8Array>;
  symlink(target: string, path: string): Done;
  readlink(path: string): string | Promise<string>;
  lstat(path: string): fs.Stats | Promise<fs.Stats>;
  rename(from: string, to: string): Done;
  /** With everything in it; nothing is wrong when it is not there. */
  remove(path: string): Done;
  readdir(path: string): readonly string[] | Promise<readonly string[]>;
  /** Everything below a folder. */
  entriesBelow(path: string): readonly fs.Dirent[] | Promise<readonly fs.Dirent[]>;
}

/** Calls on another thread, since a disk may take its time. */
export const DISK_CALLS: FileCalls = {
  mkdir: (path, mode) => disk.mkdir(path, mode),
  mkdirAll: async (path, mode) => void (await disk.mkdir(path, { recursive: true, mode })),
  chmod: (path, mode) => disk.chmod(path, mode),
  lchown: (path, uid, gid) => disk.lchown(path, uid, gid),
  writeFile: (path, bytes, mode) => disk.writeFile(path, bytes, { mode }),
  readFile: (path) => disk.readFile(path),
  symlink: (target, path) => disk.symlink(target, path),
  readlink: (path) => disk.readlink(path),
  lstat: (path) => disk.lstat(path),
  rename: (from, to) => disk.rename(from, to),
  remove: (path) => disk.rm(path, { recursive: true, force: true }),
  readdir: (path) => disk.readdir(path),
  entriesBelow: (path) => disk.readdir(path, { recursive: true, withFileTypes: true }),
};

/**
 * Calls in place, for file systems in memory: handing a call to another thread takes ten times as long as the call itself.
 * Callers let others have their turn between many of them.
 */
export const MEMORY_CALLS: FileCalls = {
  mkdir: (path, mode) => fs.mkdirSync(path, mode),
  mkdirAll: (path, mode) => void fs.mkdirSync(path, { recursive: true, mode }),
  chmod: (path, mode) => fs.chmodSync(path, mode),
  lchown: (path, uid, gid) => fs.lchownSync(path, uid, gid),
  writeFile: (path, bytes, mode) => fs.writeFileSync(path, bytes, { mode }),
  readFile: (path) => fs.readFileSync(path),
  symlink: (target, path) => fs.symlinkSync(target, path),
  readlink: (path) => fs.readlinkSync(path),
  lstat: (path) => fs.lstatSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
  readdir: (path) => fs.readdirSync(path),
  entriesBelow: (path) => fs.readdirSync(path, { recursive: true, withFileTypes: true }),
};
