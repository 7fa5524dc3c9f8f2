import { constants } from 'node:fs';
import { access, chmod, chown, type FileHandle, link, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { Random } from '../base/index.ts';
import { makeDurableFolder, syncFolder } from '../system/index.ts';

/** For its owner only. */
const PRIVATE_MODE = 0o600;

export interface WholeFileOptions {
  /** Names the file that is written first, so that no other process can guess the name. */
  readonly random: Random;
}

/** Creates a file: whole and on the disk, or not at all. False when the file exists, which is left alone. */
export async function createWhole(path: string, text: string, { random }: WholeFileOptions): Promise<boolean> {
  return writeBeside(path, text, {
    random,
    mode: PRIVATE_MODE,
    put: async (written) => {
      try {
        await link(written, path);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // another process was first
        throw error;
      } finally {
        await rm(written, { force: true });
      }
    },
  });
}

/**
 * Replaces what a file says, so that readers see the old text or the new one, also after a power failure. The mode stays, and a
 * symbolic link stays one: the file that it leads to is replaced. A file that may not be written is refused; so is one that
 * lies outside of `within`.
 */
export async function replaceWhole(
  path: string,
  text: string,
  { random, within }: WholeFileOptions & { readonly within?: string },
): Promise<void> {
  const { target, ...as } = await targetOf(path, within);
  await writeBeside(target, text, { ...as, random, put: (written) => rename(written, target) });
}

async function targetOf(path: string, within: string | undefined): Promise<Look & { target: string }> {
  const found = await ifThere(lstat(path));
  if (found === undefined) return { target: path, mode: PRIVATE_MODE };
  const target = await realpath(path);
  if (within !== undefined && !target.startsWith((await realpath(within)) + sep)) {
    throw new Error(`Cannot write "${path}": it is a link to "${target}", outside of its folder`);
  }
  const { mode, uid, gid } = await stat(target);
  if ((mode & 0o222) === 0) throw new Error(`Cannot write "${target}": it is read-only`);
  await access(target, constants.W_OK);
  return { target, mode: mode & 0o777, owner: { uid, gid } };
}

/** Undefined when the file is not there. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What a file is like for others. */
interface Look {
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

interface Placing<T> extends Look, WholeFileOptions {
  /** Puts the written file where it belongs. */
  readonly put: (written: string) => Promise<T>;
}

/** Writes the file under a name that no other process can have prepared, syncs it, then puts it in place; syncs the folder last. */
async function writeBeside<T>(path: string, text: string, { mode, owner, random, put }: Placing<T>): Promise<T> {
  const folder = dirname(path);
  await makeDurableFolder(folder);
  const { file, written } = await openNew(join(folder, `.${basename(path)}.`), random);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (owner !== undefined && process.getuid?.() === 0) await chown(written, owner.uid, owner.gid);
    if (mode !== PRIVATE_MODE) await chmod(written, mode);
    const result = await put(written);
    await syncFolder(folder);
    return result;
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/** Enough random letters that no attacker can prepare files for all names. */
const NAME_LENGTH = 24;

/** Creates a new file; skips a name that is taken, as by a process with the same seed. */
async function openNew(prefix: string, random: Random): Promise<{ file: FileHandle; written: string }> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  for (;;) {
    const written = prefix + random.nameSuffix(NAME_LENGTH);
    try {
      return { file: await open(written, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_MODE), written };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
