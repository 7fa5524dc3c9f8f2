import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { CgroupLimits } from '../../node/index.ts';

/** The cgroups of a machine, by their paths below the mount points: `/kubepods/burstable`. */
export interface CgroupTree {
  readonly version: 1 | 2;
  exists(path: string): Promise<boolean>;
  /** Makes a cgroup, with those above it. */
  create(path: string): Promise<void>;
  setLimits(path: string, limits: CgroupLimits): Promise<void>;
  limits(path: string): Promise<CgroupLimits>;
  /** In bytes. */
  memoryUsage(path: string): Promise<number>;
  /** The processes in a cgroup and those below it. */
  processes(path: string): Promise<readonly number[]>;
  /** The names of the cgroups directly below. */
  children(path: string): Promise<readonly string[]>;
  /** Removes a cgroup with those below it. Fails while there are processes in them. */
  remove(path: string): Promise<void>;
}

export const MOUNTED_AT = '/sys/fs/cgroup';

/** `2MB` for 2097152: how files of huge pages are named. */
export function pageSizeText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${size}${units[unit]}`;
}

/** A file of a cgroup without the newline at its end. */
export async function readCgroupFile(folder: string, name: string): Promise<string> {
  try {
    return (await readFile(join(folder, name), 'utf8')).trim();
  } catch (error) {
    throw new Error(`Cannot read ${join(folder, name)}: ${messageOf(error)}`, { cause: error });
  }
}

export async function writeCgroupFile(folder: string, name: string, value: string): Promise<void> {
  try {
    await writeFile(join(folder, name), value);
  } catch (error) {
    throw new Error(`Cannot set ${join(folder, name)} to ${value}: ${messageOf(error)}`, { cause: error });
  }
}

export async function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Makes each folder of a path below `root` that is missing; `made` is called for it before the next one. */
export async function makeFolders(root: string, path: string, made: (folder: string) => Promise<void>): Promise<void> {
  let folder = root;
  for (const part of path.split('/').filter((each) => each !== '')) {
    folder = join(folder, part);
    if (await pathExists(folder)) continue;
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await made(folder);
  }
}

/** The processes that the files `cgroup.procs` in and below a folder list. */
export async function processesBelow(folder: string): Promise<readonly number[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  // processes of other process namespaces are listed as 0
  const own = text
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
  const below = await Promise.all((await foldersIn(folder)).map((name) => processesBelow(join(folder, name))));
  return [...own, ...below.flat()];
}

export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Removes a folder of cgroups with those below it, the deepest first. */
export async function removeFolders(folder: string): Promise<void> {
  for (const name of await foldersIn(folder)) await removeFolders(join(folder, name));
  try {
    await rmdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new Error(`Cannot remove the cgroup ${folder}: ${messageOf(error)}`, { cause: error });
  }
}
