import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type MachineFolders, podFolder, type PodFiles } from '../node/index.ts';
import type { ContainerLogFiles } from './logs/container-log-files.ts';
import { errorCode, type Mounts } from '../system/index.ts';

export interface DiskPodFilesParts {
  readonly folders: MachineFolders;
  readonly mounts: Mounts;
  readonly logs: ContainerLogFiles;
}

/** The agent's files of pods, on disk. */
export class DiskPodFiles implements PodFiles {
  readonly #parts: DiskPodFilesParts;

  constructor(parts: DiskPodFilesParts) {
    this.#parts = parts;
  }

  async write(path: string, content: () => Promise<string>): Promise<void> {
    const mode = path.endsWith('/etc-hosts') ? 0o644 : 0o666;
    const text = await content();
    const file = await openNew(path, mode);
    try {
      if (text !== '') await file.write(text);
      await file.chmod(mode); // whatever the umask is: containers of any user write their termination message
    } finally {
      await file.close();
    }
  }

  async read(
    path: string,
    maxBytes: number,
    { within }: { readonly within?: string } = {},
  ): Promise<Uint8Array | undefined> {
    // a pod may have put a pipe or a device there, on which a read would wait
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
    if (file === undefined) {
      if (within !== undefined) throw new Error(`Cannot read ${path}: it cannot be opened`);
      return undefined;
    }
    try {
      const stats = await file.stat();
      if (within !== undefined && !(stats.isFile() && (await isWithin(file, within))))
        throw new Error(`Cannot read ${path}: it is not a file in ${within}`);
      if (!stats.isFile()) return undefined;
      const length = Math.min(stats.size, maxBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, stats.size - length);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async pods(): Promise<readonly string[]> {
    return readdir(podFolder(this.#parts.folders.root, '')).catch(() => []); // no pod has run yet
  }

  /** Removes the folder of a pod and its logs. */
  async removePod(podUid: string): Promise<void> {
    const { folders, mounts, logs } = this.#parts;
    const left = await driverVolumes(podFolder(folders.root, podUid));
    if (left.length > 0)
      throw new Error(`orphaned pod "${podUid}" found, but volumes are not cleaned up: ${left.join(', ')}`);
    await mounts.removeFolder(podFolder(folders.root, podUid));
    for (const name of await readdir(folders.podLogs).catch(() => []))
      if (name.endsWith(`_${podUid}`)) await logs.removePod(join(folders.podLogs, name));
  }
}

/** Makes the folders above the file, if they are not there yet. */
async function openNew(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, 'w', mode);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    return await open(path, 'w', mode);
  }
}

/** Volumes of a pod that only their drivers can take away. */
async function driverVolumes(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const volumes = join(folder, 'volumes', 'kubernetes.io~csi');
  for (const name of await readdir(volumes).catch(() => []))
    if ((await readdir(join(volumes, name))).includes('vol_data.json')) found.push(name);
  return [...found, ...(await readdir(join(folder, 'volumeDevices', 'kubernetes.io~csi')).catch(() => []))];
}

/** Whether an open file is below a folder, whatever links led to it. */
async function isWithin({ fd }: FileHandle, folder: string): Promise<boolean> {
  return (await readlink(`/proc/self/fd/${fd}`)).startsWith(`${await realpath(folder)}/`);
}
