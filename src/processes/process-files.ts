import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { podFolder, type PodFiles } from '../node/index.ts';

/** The machine's own file of names, which pods on its network get. */
const MACHINE_HOSTS = '/etc/hosts';

export interface ProcessFilesParts {
  readonly root: string;
  readonly podLogs: string;
  isProcessPod(podUid: string): boolean;
  /** The files of other pods. */
  readonly others: PodFiles;
}

/** Files of pods with processes are on the disk, in a folder that only the user can read. */
export function processFiles({ root, podLogs, isProcessPod, others }: ProcessFilesParts): PodFiles {
  const uidOf = (path: string): string => path.slice(podFolder(root, '').length).split('/')[0] ?? '';
  const isOnDisk = (path: string): boolean => path.startsWith(podFolder(root, '')) && isProcessPod(uidOf(path));
  return {
    async write(path, content) {
      if (!isOnDisk(path)) return others.write(path, content);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, await content(), { mode: 0o600 });
    },
    async read(path, maxBytes) {
      return isOnDisk(path) || path === MACHINE_HOSTS ? lastOf(path, maxBytes) : others.read(path, maxBytes);
    },
    async pods() {
      const onDisk = await readdir(podFolder(root, '')).catch(() => []); // no process has run yet
      return [...onDisk, ...(await others.pods())];
    },
    async removePod(podUid) {
      await others.removePod(podUid);
      await rm(podFolder(root, podUid), { recursive: true, force: true });
      const logs = await readdir(podLogs).catch(() => []); // no process has logged yet
      for (const name of logs)
        if (name.endsWith(`_${podUid}`)) await rm(join(podLogs, name), { recursive: true, force: true });
    },
  };
}

async function lastOf(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
