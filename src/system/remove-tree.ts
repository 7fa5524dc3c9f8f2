import { constants, readFileSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { errorCode } from './error-code.ts';
import { pathIn } from './opened-path.ts';

const FOLDER = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
/** Each level keeps a descriptor open. What is deeper is moved up first, so that no tree is too deep to be removed. */
const MAX_DEPTH = 64;

/** Something is mounted on a folder that was to be removed. */
export class MountedError extends Error {
  override readonly name = 'MountedError';

  constructor(path: string) {
    super(`Cannot remove ${path}: a file system is mounted there`);
  }
}

/** What came of the attempt to remove a folder that may be empty. */
type Attempt = 'gone' | 'mounted' | 'in use';

/**
 * Removes a folder with everything in it, but nothing of another mount: such a folder is refused with a MountedError, even a bind mount
 * of the same file system. Links are removed and not followed. Does nothing when there is no such folder.
 */
export async function removeTree(path: string): Promise<void> {
  const attempt = await tryRemoveFolder(path);
  if (attempt === 'gone') return;
  if (attempt === 'mounted') throw new MountedError(path);
  let top: FileHandle;
  try {
    top = await open(path, FOLDER);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
    await removeFile(path, path); // a file or a link
    return;
  }
  try {
    const removal = new Removal(top, mountOf(top));
    do await removal.empty(top, { path, depth: 0 });
    while (removal.takeMoved());
  } finally {
    await top.close();
  }
  await rmdir(path);
}

/**
 * Removes a folder if it is empty, which most are: one call in place of four. The kernel refuses mount points before it looks into them,
 * so a server that is gone is not waited for.
 */
export async function tryRemoveFolder(path: string): Promise<Attempt> {
  try {
    await rmdir(path);
    return 'gone';
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return 'gone';
    return code === 'EBUSY' ? 'mounted' : 'in use';
  }
}

/** Files can be mount points, too. */
async function removeFile(inside: string, path: string): Promise<void> {
  try {
    await unlink(inside);
  } catch (error) {
    throw errorCode(error) === 'EBUSY' ? new MountedError(path) : error;
  }
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

class Removal {
  readonly #top: FileHandle;
  readonly #mount: string;
  #moves = 0;
  #isMoved = false;

  constructor(top: FileHandle, mount: string) {
    this.#top = top;
    this.#mount = mount;
  }

  /** Whether folders were moved to the top since the last call. */
  takeMoved(): boolean {
    const isMoved = this.#isMoved;
    this.#isMoved = false;
    return isMoved;
  }

  async empty(folder: FileHandle, { path, depth }: Place): Promise<void> {
    for (const entry of await readdir(`/proc/self/fd/${folder.fd}`, { withFileTypes: true })) {
      const inside = pathIn(folder, entry.name);
      if (!entry.isDirectory()) await removeFile(inside, `${path}/${entry.name}`);
      else if (depth >= MAX_DEPTH) await this.#moveUp(inside);
      else await this.#removeFolder(inside, { path: `${path}/${entry.name}`, depth: depth + 1 });
    }
  }

  async #removeFolder(inside: string, place: Place): Promise<void> {
    const attempt = await tryRemoveFolder(inside);
    if (attempt === 'gone') return;
    if (attempt === 'mounted') throw new MountedError(place.path);
    const child = await open(inside, FOLDER);
    try {
      if (mountOf(child) !== this.#mount) throw new MountedError(place.path);
      await this.empty(child, place);
    } finally {
      await child.close();
    }
    await rmdir(inside);
  }

  async #moveUp(inside: string): Promise<void> {
    for (;;) {
      this.#moves += 1;
      try {
        await rename(inside, pathIn(this.#top, `..removed_${this.#moves}`));
        this.#isMoved = true;
        return;
      } catch (error) {
        const code = errorCode(error);
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error; // else the name is taken
      }
    }
  }
}

/** The kernel's number of the mount that a folder was opened on. */
function mountOf({ fd }: FileHandle): string {
  return /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '';
}
