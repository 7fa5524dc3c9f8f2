import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodContent } from '../../../node/index.ts';

/** Commands in simulated containers see no more of a mount than this. */
const MAX_FILES = 256;
const MAX_BYTES = 4 * 1024 * 1024;

type File = PodContent['files'][number];

/** The files at a path of this machine, such as those of a ConfigMap that a kubelet has written; undefined when there are none. */
export async function machineContent(path: string): Promise<PodContent | undefined> {
  const files: File[] = [];
  let bytesLeft = MAX_BYTES;
  const add = async (place: string, within: string): Promise<void> => {
    const found = await stat(place).catch(() => undefined); // may have been removed, or be a link to nothing
    if (found?.isFile() === true && found.size <= bytesLeft && files.length < MAX_FILES) {
      bytesLeft -= found.size;
      files.push({ path: within, mode: found.mode & 0o777, bytes: await readFile(place) });
    }
    if (found?.isDirectory() !== true) return;
    for (const name of await readdir(place)) {
      // the kubelet's folders of volumes: links beside them lead to the files
      if (name.startsWith('..')) continue;
      if (files.length < MAX_FILES) await add(join(place, name), within === '' ? name : `${within}/${name}`);
    }
  };
  await add(path, '');
  return files.length === 0 ? undefined : { files, isFixed: false };
}
