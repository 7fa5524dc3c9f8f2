// Replaces all files of a folder at once, in the layout that programs in pods know from the kubelet.
import { Buffer } from 'node:buffer';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Clock, Random } from '../../base/index.ts';
import type { VolumeFile } from '../../node/index.ts';

/** A link to the folder with the present content. Links beside it lead through it to the files. */
const DATA = '..data';
const NEW_DATA = '..data_tmp';
const FOLDER_MODE = 0o755;

export interface ReplaceOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called with the folder of the new content before readers see it. */
  beforeShown(folder: string): Promise<void>;
}

/**
 * Makes the folder contain exactly these files. Readers see the old content or the new one, never a mixture: the content is in a new
 * folder, and the link `..data` is moved to it in one step. Files that have not changed leave the folder as it is.
 */
export async function replaceFiles(
  folder: string,
  files: readonly VolumeFile[],
  { clock, random, beforeShown }: ReplaceOptions,
): Promise<void> {
  for (const { path } of files) checkPath(path);
  const current = await readlink(join(folder, DATA)).catch(() => undefined);
  if (current !== undefined && (await isSame(join(folder, current), files))) return;
  const made = `..${timeName(clock)}.${Buffer.from(random.bytes(5)).toString('hex')}`;
  await mkdir(join(folder, made));
  await chmod(join(folder, made), FOLDER_MODE);
  for (const { path, bytes, mode } of files) {
    const target = join(folder, made, path);
    await mkdir(dirname(target), { recursive: true, mode: FOLDER_MODE });
    await writeFile(target, bytes, { mode });
    await chmod(target, mode); // the mode of writeFile is subject to the umask
  }
  await beforeShown(join(folder, made));
  await rm(join(folder, NEW_DATA), { force: true });
  await symlink(made, join(folder, NEW_DATA));
  await rename(join(folder, NEW_DATA), join(folder, DATA));
  await linkTopLevel(folder, files);
  if (current !== undefined && current !== made) await rm(join(folder, current), { recursive: true, force: true });
}

/** Makes a link for the first part of each path, and removes the links of what is gone. */
async function linkTopLevel(folder: string, files: readonly VolumeFile[]): Promise<void> {
  const wanted = new Set(files.map(({ path }) => path.split('/')[0] ?? ''));
  const present = (await readdir(folder)).filter((name) => !name.startsWith('..'));
  for (const name of wanted) if (!present.includes(name)) await symlink(join(DATA, name), join(folder, name));
  for (const name of present) if (!wanted.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}

async function isSame(folder: string, files: readonly VolumeFile[]): Promise<boolean> {
  const present = await filesBelow(folder).catch(() => undefined);
  if (present === undefined || present.length !== files.length) return false;
  for (const { path, bytes } of files) {
    const content = await readFile(join(folder, path)).catch(() => undefined);
    if (content === undefined || !content.equals(Buffer.from(bytes))) return false;
  }
  return true;
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

function checkPath(path: string): void {
  const parts = path.split('/');
  if (path === '' || posix.isAbsolute(path) || parts.includes('..') || parts[0]?.startsWith('..') === true)
    throw new Error(`invalid path in a volume: ${JSON.stringify(path)}`);
}

/** `2026_01_31_12_00_00`. */
function timeName(clock: Clock): string {
  return new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '_');
}
