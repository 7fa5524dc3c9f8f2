import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { CgroupLimits } from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';

/** The cgroups of a machine, by their paths below the mount points: `/kubepods/burstable`. */
export interface CgroupTree {
  readonly version: 1 | 2;
  exists(path: string): Promise<boolean>;
  /** Makes a cgroup, with those above it. False when it was there already. */
  create(path: string): Promise<boolean>;
  setLimits(path: string, limits: CgroupLimits): Promise<void>;
  /** Undefined when there is no such cgroup. */
  limits(path: string): Promise<CgroupLimits | undefined>;
  /** In bytes. */
  memoryUsage(path: string): Promise<number>;
  /** The processes in a cgroup and those below it. */
  processes(path: string): Promise<readonly number[]>;
  /** The processes in a cgroup itself. */
  ownProcesses(path: string): Promise<readonly number[]>;
  /** Moves a process into a cgroup. */
  join(path: string, pid: number): Promise<void>;
  /** The names of the cgroups directly below. */
  children(path: string): Promise<readonly string[]>;
  /** Removes a cgroup with those below it. Fails while there are processes in them. */
  remove(path: string): Promise<void>;
}

/** Where the cgroups of a machine are, and what of its memory they limit. */
export interface CgroupTreeOptions {
  /** The mount point: the folder of all cgroups, or of all controllers in version 1; another folder in tests. */
  readonly root: string;
  /** Sizes of the machine's huge pages in bytes. */
  readonly pageSizes: readonly number[];
}

export const MOUNTED_AT = '/sys/fs/cgroup';

/** `2MB` for 2097152: how files of huge pages are named. */
function pageSizeText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${size}${units[unit]}`;
}

/**
 * A file of a cgroup without the newline at its end. Read in place: the kernel has the number in memory, and handing the read to another
 * thread takes ten times as long as the read.
 */
export function readCgroupFile(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8').trim();
  } catch (error) {
    throw new Error(`Cannot read ${join(folder, name)}: ${messageOf(error)}`, { cause: error });
  }
}

/** Sets a number that the kernel only notes, in place, as it is read. */
export function writeCgroupFile(folder: string, name: string, value: string): void {
  try {
    writeFileSync(join(folder, name), value);
  } catch (error) {
    throw notSet(folder, { name, value, error });
  }
}

/** Sets a limit that the kernel may have to make room for, which takes long. */
export async function writeSlowCgroupFile(folder: string, name: string, value: string): Promise<void> {
  try {
    await writeFile(join(folder, name), value);
  } catch (error) {
    throw notSet(folder, { name, value, error });
  }
}

function notSet(folder: string, { name, value, error }: { name: string; value: string; error: unknown }): Error {
  return new Error(`Cannot set ${join(folder, name)} to ${value}: ${messageOf(error)}`, { cause: error });
}

/** What a look into a cgroup finds; undefined when there is no such cgroup. */
export function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && errorCode(error.cause) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Limits huge pages of each size, in the files `hugetlb.SIZE.ENDING`; those without a limit may not be used. */
export async function limitPages(
  folder: string,
  limits: ReadonlyMap<number, number>,
  { pageSizes, ending }: Pick<CgroupTreeOptions, 'pageSizes'> & { readonly ending: string },
): Promise<void> {
  for (const size of pageSizes) {
    const name = `hugetlb.${pageSizeText(size)}`;
    const limit = String(limits.get(size) ?? 0);
    writeCgroupFile(folder, `${name}.${ending}`, limit);
    const reserved = `${name}.rsvd.${ending}`;
    if (await pathExists(join(folder, reserved))) writeCgroupFile(folder, reserved, limit);
  }
}

export async function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Makes each folder of a path below `root` that is missing; `made` is called for it before the next one. False when all were there. */
export async function makeFolders(root: string, path: string, made: (folder: string) => void): Promise<boolean> {
  const folder = join(root, path);
  const above = dirname(path);
  try {
    await mkdir(folder, { mode: 0o755 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT' || above === path || above === '/') throw error;
    await makeFolders(root, above, made);
    return makeFolders(root, path, made);
  }
  made(folder);
  return true;
}

/** The processes that the file `cgroup.procs` of a folder lists. */
export async function processesIn(folder: string): Promise<readonly number[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  // processes of other process namespaces are listed as 0
  return text
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** The processes that the files `cgroup.procs` in and below a folder list. */
export async function processesBelow(folder: string): Promise<readonly number[]> {
  const own = await processesIn(folder);
  const below = await Promise.all((await foldersIn(folder)).map((name) => processesBelow(join(folder, name))));
  return [...own, ...below.flat()];
}

export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Removes a folder of cgroups with those below it, the deepest first. */
export async function removeFolders(folder: string): Promise<void> {
  if (await rmdir(folder).then(isDone, isGone)) return;
  for (const name of await foldersIn(folder)) await removeFolders(join(folder, name));
  try {
    await rmdir(folder);
  } catch (error) {
    if (isGone(error)) return;
    throw new Error(`Cannot remove the cgroup ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

function isDone(): boolean {
  return true;
}

function isGone(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
