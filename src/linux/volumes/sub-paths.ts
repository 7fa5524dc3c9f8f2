// Parts of volumes that are mounted into containers (`subPath`).
import { type FileHandle, lstat, mkdir, realpath, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Logger } from '../../base/index.ts';
import { podFolder, type SubPathRequest } from '../../node/index.ts';
import { errorCode, makeFolderIn, type Mounts, openBelow, tryRemoveFolder } from '../../system/index.ts';

const FOLDER = 'volume-subpaths';

/**
 * Binds parts of volumes below `pods/<uid>/volume-subpaths`, and gives the runtime that path instead of one inside the volume.
 *
 * A pod may replace any name in its volume by a link at any time. So the part is opened name by name without following links, and what
 * is open is what is bound.
 */
export class SubPaths {
  readonly #root: string;
  readonly #mounts: Mounts;
  readonly #log: Logger;

  constructor(root: string, { mounts, log }: { readonly mounts: Mounts; readonly log: Logger }) {
    this.#root = root;
    this.#mounts = mounts;
    this.#log = log;
  }

  /** Makes the part if it is missing, binds it, and returns where. The part stays bound until `remove`. */
  async bind(request: SubPathRequest): Promise<string> {
    const { path, subPath, mountName, container, podUid } = request;
    let action = 'create subPath directory';
    try {
      if (!(await exists(join(path, subPath)))) await makeMissing(await realpath(path), subPath);
      action = 'prepare subPath';
      return await this.#open(request);
    } catch (error) {
      // the pod must not learn anything about other files of the machine, so its message has no details
      this.#log.warn('subPath is refused', { error, action, podUid, volume: mountName, subPath });
      const where = `volumeMount ${JSON.stringify(mountName)} of container ${JSON.stringify(container)}`;
      throw new Error(`failed to ${action} for ${where}`, { cause: error });
    }
  }

  /** Unbinds all parts of a volume of a pod. */
  async remove(podUid: string, volume: string): Promise<void> {
    const all = join(podFolder(this.#root, podUid), FOLDER);
    if ((await tryRemoveFolder(all)) === 'gone') return; // no part was bound
    await this.#mounts.removeFolder(join(all, volume));
    await rmdir(all).catch((error: unknown) => {
      const code = errorCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTEMPTY') throw error; // else other volumes have parts
    });
  }

  async #open(request: SubPathRequest): Promise<string> {
    const base = await realpath(request.path);
    const opened = await openBelow(base, namesWithin(base, await realpath(join(base, request.subPath))));
    try {
      return await this.#bindOpened(opened, request);
    } finally {
      await opened.close();
    }
  }

  async #bindOpened(opened: FileHandle, { podUid, volume, container, index }: SubPathRequest): Promise<string> {
    const target = join(podFolder(this.#root, podUid), FOLDER, volume, container, String(index));
    const source = await opened.stat();
    if (await this.#mounts.isMountPoint(target)) {
      const bound = await lstat(target).catch(() => undefined); // a stale mount cannot be read
      if (bound?.dev === source.dev && bound.ino === source.ino) return target;
      await this.#mounts.unmount(target);
    }
    await mkdir(dirname(target), { recursive: true, mode: 0o750 });
    await makeTarget(target, source.isDirectory());
    await this.#mounts.bindOpened(opened.fd, target);
    return target;
  }
}

/** What a bind mount can cover: a folder for a folder, else a file. */
async function makeTarget(target: string, isFolder: boolean): Promise<void> {
  const present = await lstat(target).catch(() => undefined);
  if (present !== undefined && present.isDirectory() === isFolder) return;
  if (present !== undefined) await (isFolder ? unlink(target) : rmdir(target));
  if (isFolder) await mkdir(target, { mode: 0o750 });
  else await writeFile(target, '', { mode: 0o640 });
}

/** Makes the folders of a path that are missing, with the mode of the volume itself, and never outside of the volume. */
async function makeMissing(base: string, subPath: string): Promise<void> {
  const mode = (await stat(base)).mode & 0o7777;
  const names = subPath.split('/').filter((name) => name !== '' && name !== '.');
  let present = names.length;
  let existing = await realPathOf(base, names);
  while (existing === undefined && present > 0) {
    present -= 1;
    existing = await realPathOf(base, names.slice(0, present));
  }
  let folder = await openBelow(base, namesWithin(base, existing ?? base));
  try {
    for (const name of names.slice(present)) {
      const made = await makeFolderIn(folder, name, mode);
      await folder.close();
      folder = made;
    }
  } finally {
    await folder.close();
  }
}

async function realPathOf(base: string, names: readonly string[]): Promise<string | undefined> {
  try {
    return await realpath(join(base, ...names));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** False when there is nothing, also behind a link. */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The names that lead from a folder to a path below it. Throws for paths elsewhere. */
function namesWithin(base: string, path: string): readonly string[] {
  const names = relative(base, path)
    .split('/')
    .filter((name) => name !== '');
  if (names[0] === '..') throw new Error(`path ${path} is outside of allowed base ${base}`);
  return names;
}
