import { mkdir, open, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { MountRequest, VolumePlugin, VolumeSource } from '../../node/index.ts';

/** What a path must be, by the type of a hostPath volume. */
const CHECKS: Readonly<Record<string, readonly [what: string, is: (stats: Stats) => boolean]>> = {
  Directory: ['a directory', (stats) => stats.isDirectory()],
  DirectoryOrCreate: ['a directory', (stats) => stats.isDirectory()],
  File: ['a file', (stats) => stats.isFile()],
  FileOrCreate: ['a file', (stats) => stats.isFile()],
  Socket: ['a socket file', (stats) => stats.isSocket()],
  CharDevice: ['a character device', (stats) => stats.isCharacterDevice()],
  BlockDevice: ['a block device', (stats) => stats.isBlockDevice()],
};

/** `hostPath` and `local`: a path of the machine itself, which stays when the pod goes. */
export class HostPaths implements VolumePlugin {
  readonly name = 'kubernetes.io/host-path';
  readonly refreshEveryMs = undefined;

  supports({ volume, persistentVolume }: VolumeSource): boolean {
    const { hostPath, local } = persistentVolume?.spec ?? {};
    return volume.hostPath !== undefined || hostPath !== undefined || local !== undefined;
  }

  async mount({ volume, persistentVolume }: MountRequest): Promise<string> {
    const { local } = persistentVolume?.spec ?? {};
    if (local !== undefined) {
      await stat(local.path).catch(() => {
        throw new Error(`path "${local.path}" does not exist`);
      });
      return local.path;
    }
    const { path, type = '' } = volume.hostPath ?? persistentVolume?.spec?.hostPath ?? { path: '' };
    await checkPath(path, type);
    return path;
  }

  async unmount(): Promise<void> {
    // nothing was mounted
  }

  async mounted(): Promise<readonly []> {
    return [];
  }

  async grow(): Promise<void> {
    // a path of the machine is as large as its file system
  }
}

async function checkPath(path: string, type: string): Promise<void> {
  if (type === '') return;
  const [what, is] = CHECKS[type] ?? [];
  if (what === undefined || is === undefined) throw new Error(`${type} is an invalid volume type`);
  if (type === 'DirectoryOrCreate') await mkdir(path, { recursive: true, mode: 0o755 });
  if (type === 'FileOrCreate') {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await (await open(path, 'a', 0o644)).close();
  }
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || !is(stats)) throw new Error(`hostPath type check failed: ${path} is not ${what}`);
}
