// Replaces all files of a folder at once, in the layout that programs in pods know from the kubelet.
import { Buffer } from 'node:buffer';
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Clock, Random } from '../../base/index.ts';
import type { VolumeFile } from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';

/** A link to the folder with the present content. Links beside it lead through it to the files. */
const DATA = '..data';
const NEW_DATA = '..data_tmp';
const CONTENT_FOLDER = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;
const FOLDER_MODE = 0o755;
const MAX_PATH = 4096;
const MAX_NAME = 255;
const SAME_GROUP = -1;

type Files = ReadonlyMap<string, VolumeFile>;

export interface ReplaceOptions {
  readonly clock: Clock;
  readonly random: Random;
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
  let current = await readlink(join(folder, DATA)).catch(() => undefined);
  const old = current === undefined ? [] : await filesBelow(join(folder, current));
  if (current === undefined || !(await isSame(join(folder, current), old, files)))
    current = await write(folder, files, options);
  await linkTopLevel(folder, old, files);
  await removeOldContent(folder, current);
}

/** Returns the name of the folder with the new content. */
async function write(folder: string, files: Files, { clock, random, beforeShown }: ReplaceOptions): Promise<string> {
  const made = `..${timeName(clock)}.${Buffer.from(random.bytes(5)).toString('hex')}`;
  await mkdir(join(folder, made));
  await chmod(join(folder, made), FOLDER_MODE);
  for (const [path, { bytes, mode, owner }] of files) {
    const target = join(folder, made, path);
    if (path.includes('/')) await mkdir(dirname(target), { recursive: true, mode: FOLDER_MODE });
    await writeFile(target, bytes, { mode });
    await chmod(target, mode); // the mode of writeFile is subject to the umask
    if (owner !== undefined) await lchown(target, owner, SAME_GROUP);
  }
  await beforeShown();
  await linkAgain(made, join(folder, NEW_DATA));
  await rename(join(folder, NEW_DATA), join(folder, DATA));
  return made;
}

/** Makes a link, in place of one that an agent which was killed has left. */
async function linkAgain(target: string, path: string): Promise<void> {
  try {
    await symlink(target, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await rm(path, { recursive: true });
    await symlink(target, path);
  }
}

/** Makes a link for the first part of each path, and removes the links of what is gone. */
async function linkTopLevel(folder: string, old: readonly string[], files: Files): Promise<void> {
  const wanted = topLevel(files.keys());
  for (const name of wanted)
    await symlink(join(DATA, name), join(folder, name)).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  for (const name of topLevel(old)) {
    const isLink =
      !wanted.has(name) && (await lstat(join(folder, name)).catch(() => undefined))?.isSymbolicLink() === true;
    if (isLink) await rm(join(folder, name), { force: true });
  }
}

function topLevel(paths: Iterable<string>): ReadonlySet<string> {
  return new Set([...paths].map((path) => path.split('/')[0] ?? ''));
}

/** Removes content that is not shown: what was replaced, and what an agent that was killed did not finish. */
async function removeOldContent(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name !== current && CONTENT_FOLDER.test(name)) await rm(join(folder, name), { recursive: true, force: true });
}

async function isSame(folder: string, present: readonly string[], files: Files): Promise<boolean> {
  if (present.length !== files.size || present.some((path) => !files.has(path))) return false;
  for (const [path, { bytes }] of files) {
    const content = await readFile(join(folder, path)).catch(() => undefined);
    if (content === undefined || !content.equals(bytes)) return false;
  }
  return true;
}

/** The paths of all files below a folder; none when there is no folder. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => posix.relative(folder, posix.join(parentPath, name)));
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
