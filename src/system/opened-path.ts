// Walks through folders that pods can write to. Node.js has no openat(2): a name is opened through the link that the kernel has for the
// descriptor of its folder, so that nothing on the way can be replaced by a link.
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';

/** Opens nothing but the place itself: no read, no wait for the other end of a pipe. Not among the constants of Node.js. */
const O_PATH = 0o10_000_000;

/** Opens a file or folder below a base, one name after the other. Refuses links; the caller closes what it gets. */
export async function openBelow(base: string, names: readonly string[]): Promise<FileHandle> {
  let opened = await open(base, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  let path = base;
  try {
    for (const name of names) {
      path += `/${name}`;
      const next = await openIn(opened, name);
      await opened.close();
      opened = next;
      if ((await opened.stat()).isSymbolicLink()) throw new Error(`unexpected symlink found ${path}`);
    }
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Opens the place of one name of an open folder, which may be a link. */
export async function openIn(folder: FileHandle, name: string): Promise<FileHandle> {
  return await open(pathIn(folder, name), O_PATH | constants.O_NOFOLLOW);
}

/** Makes a folder in an open folder and opens it. Its mode is as given, whatever the umask is. */
export async function makeFolderIn(folder: FileHandle, name: string, mode: number): Promise<FileHandle> {
  await mkdir(pathIn(folder, name), mode);
  const made = await open(pathIn(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    await made.chmod(mode);
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}

/** A path of a name in an open folder, for as long as the folder is open. */
export function pathIn({ fd }: FileHandle, name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/'))
    throw new Error(`Cannot open ${JSON.stringify(name)} in a folder: it is not the name of a file`);
  return `/proc/self/fd/${fd}/${name}`;
}
