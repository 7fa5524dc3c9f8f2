// Replaces all files of a folder at once, in the layout that programs in pods know from the kubelet.
import { Buffer } from 'node:buffer';
import { dirname, join, posix } from 'node:path';
import { type Clock, nextTurn, type Random } from '../../base/index.ts';
import type { VolumeFile } from '../../node/index.ts';
import { errorCode, type FileCalls } from '../../system/index.ts';

/** A link to the folder with the present content. Links beside it lead through it to the files. */
const DATA = '..data';
const NEW_DATA = '..data_tmp';
const CONTENT_FOLDER = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;
const FOLDER_MODE = 0o755;
const MAX_PATH = 4096;
const MAX_NAME = 255;
const SAME_GROUP = -1;
/** Files in memory are written at once. */
const FILES_A_TURN = 64;

type Files = ReadonlyMap<string, VolumeFile>;

export interface ReplaceOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How the file system of the folder is called. */
  readonly calls: FileCalls;
  /** Called when new content is complete, before readers see it. */
  beforeShown(): Promise<void>;
}

/**
 * Makes the folder show exactly these files; of files with the same path, the last. Readers see the old content or the new one, never a
 * mixture: the content is in a new folder, and the link `..data` is moved to it in one step. Files that have not changed leave the
 * folder as it is. Other entries of the folder, such as mount points of other volumes, stay.
 */
export async function replaceFiles(
  folder: string,
  given: readonly VolumeFile[],
  options: ReplaceOptions,
): Promise<void> {
  for (const { path } of given) checkPath(path);
  const files: Files = new Map(given.map((file) => [posix.normalize(file.path), file]));
  await new Replacement(folder, files, options).run();
}

class Replacement {
  readonly #folder: string;
  readonly #files: Files;
  readonly #options: ReplaceOptions;
  readonly #calls: FileCalls;

  constructor(folder: string, files: Files, options: ReplaceOptions) {
    this.#folder = folder;
    this.#files = files;
    this.#options = options;
    this.#calls = options.calls;
  }

  async run(): Promise<void> {
    let current = await unlessMissing(() => this.#calls.readlink(join(this.#folder, DATA)));
    const old = current === undefined ? [] : await this.#filesBelow(join(this.#folder, current));
    if (current === undefined || !(await this.#isSame(join(this.#folder, current), old))) current = await this.#write();
    await this.#linkTopLevel(old);
    await this.#removeOldContent(current);
  }

  /** Returns the name of the folder with the new content. */
  async #write(): Promise<string> {
    const { clock, random, beforeShown } = this.#options;
    const calls = this.#calls;
    const made = `..${timeName(clock)}.${Buffer.from(random.bytes(5)).toString('hex')}`;
    await calls.mkdir(join(this.#folder, made), FOLDER_MODE);
    await calls.chmod(join(this.#folder, made), FOLDER_MODE);
    const turns = new Turns();
    for (const [path, { bytes, mode, owner }] of this.#files) {
      const target = join(this.#folder, made, path);
      if (path.includes('/')) await calls.mkdirAll(dirname(target), FOLDER_MODE);
      await calls.writeFile(target, bytes, mode);
      await calls.chmod(target, mode); // the mode of writeFile is subject to the umask
      if (owner !== undefined) await calls.lchown(target, owner, SAME_GROUP);
      await turns.pass();
    }
    await beforeShown();
    await this.#linkAgain(made, join(this.#folder, NEW_DATA));
    await calls.rename(join(this.#folder, NEW_DATA), join(this.#folder, DATA));
    return made;
  }

  /** Makes a link, in place of one that an agent which was killed has left. */
  async #linkAgain(target: string, path: string): Promise<void> {
    try {
      await this.#calls.symlink(target, path);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      await this.#calls.remove(path);
      await this.#calls.symlink(target, path);
    }
  }

  /** Makes a link for the first part of each path, and removes the links of what is gone. */
  async #linkTopLevel(old: readonly string[]): Promise<void> {
    const wanted = topLevel(this.#files.keys());
    const present = topLevel(old);
    const turns = new Turns();
    for (const name of wanted) {
      await this.#linkOnce(join(DATA, name), join(this.#folder, name));
      await turns.pass();
    }
    for (const name of present) {
      if (wanted.has(name)) continue;
      const stats = await unlessMissing(() => this.#calls.lstat(join(this.#folder, name)));
      if (stats?.isSymbolicLink() === true) await this.#calls.remove(join(this.#folder, name));
    }
  }

  async #linkOnce(target: string, path: string): Promise<void> {
    try {
      await this.#calls.symlink(target, path);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }

  /** Removes content that is not shown: what was replaced, and what an agent that was killed did not finish. */
  async #removeOldContent(current: string): Promise<void> {
    for (const name of await this.#calls.readdir(this.#folder))
      if (name !== current && CONTENT_FOLDER.test(name)) await this.#calls.remove(join(this.#folder, name));
  }

  async #isSame(folder: string, present: readonly string[]): Promise<boolean> {
    if (present.length !== this.#files.size || present.some((path) => !this.#files.has(path))) return false;
    const turns = new Turns();
    for (const [path, { bytes }] of this.#files) {
      const content = await unlessMissing(() => this.#calls.readFile(join(folder, path)));
      if (content === undefined || Buffer.compare(content, bytes) !== 0) return false;
      await turns.pass();
    }
    return true;
  }

  /** The paths of all files below a folder; none when there is no folder. */
  async #filesBelow(folder: string): Promise<readonly string[]> {
    const entries = (await unlessMissing(() => this.#calls.entriesBelow(folder))) ?? [];
    return entries
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => posix.relative(folder, posix.join(parentPath, name)));
  }
}

/** Lets others have their turn after some files. */
class Turns {
  #left = FILES_A_TURN;

  async pass(): Promise<void> {
    if (--this.#left > 0) return;
    this.#left = FILES_A_TURN;
    await nextTurn();
  }
}

/** What a call finds; undefined when it fails, because there is nothing, or something else. */
async function unlessMissing<T>(call: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch {
    return undefined;
  }
}

function topLevel(paths: Iterable<string>): ReadonlySet<string> {
  return new Set([...paths].map((path) => path.split('/')[0] ?? ''));
}

function checkPath(path: string): void {
  const names = path.split('/');
  if (path === '') throw new Error('invalid path: must not be empty: ""');
  if (posix.isAbsolute(path)) throw new Error(`invalid path: must be relative path: ${path}`);
  if (Buffer.byteLength(path) > MAX_PATH)
    throw new Error(`invalid path: must be less than or equal to ${MAX_PATH} characters`);
  if (names.includes('..')) throw new Error(`invalid path: must not contain '..': ${path}`);
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME))
    throw new Error(`invalid path: filenames must be less than or equal to ${MAX_NAME} characters`);
  if (names[0]?.startsWith('..') === true) throw new Error(`invalid path: must not start with '..': ${path}`);
}

/** `2026_01_31_12_00_00`. */
function timeName(clock: Clock): string {
  return new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '_');
}
