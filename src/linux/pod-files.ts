import { Buffer } from 'node:buffer';
import { chmod, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type MachineFolders, podFolder, type PodFiles } from '../node/index.ts';
import type { ContainerLogFiles } from './logs/container-log-files.ts';
import type { Mounts } from './mounts.ts';

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
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    const mode = path.endsWith('/etc-hosts') ? 0o644 : 0o666;
    await writeFile(path, await content());
    await chmod(path, mode); // whatever the umask is: containers of any user write their termination message
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const file = await open(path).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - maxBytes);
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(Math.min(size, maxBytes)),
        0,
        Math.min(size, maxBytes),
        start,
      );
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async podUids(): Promise<readonly string[]> {
    return readdir(podFolder(this.#parts.folders.root, '')).catch(() => []); // no pod has run yet
  }

  /** Removes the folder of a pod and its logs. */
  async removePod(podUid: string): Promise<void> {
    const { folders, mounts, logs } = this.#parts;
    await mounts.removeFolder(podFolder(folders.root, podUid));
    for (const name of await readdir(folders.podLogs).catch(() => []))
      if (name.endsWith(`_${podUid}`)) await logs.removePod(join(folders.podLogs, name));
  }
}
