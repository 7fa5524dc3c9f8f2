import type { Stats } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type MountedVolume,
  type MountRequest,
  podFolder,
  type SubPathRequest,
  type VolumePlugin,
  type VolumeSource,
} from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';
import type { SubPaths } from './sub-paths.ts';

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

/** `hostPath`: a path of the machine itself, which stays when the pod goes. */
export class HostPaths implements VolumePlugin {
  readonly name = 'kubernetes.io/host-path';
  readonly refreshEvery = undefined;
  readonly #root: string;
  readonly #subPaths: SubPaths;

  constructor({ root, subPaths }: { readonly root: string; readonly subPaths: SubPaths }) {
    this.#root = root;
    this.#subPaths = subPaths;
  }

  supports({ volume, persistentVolume }: VolumeSource): boolean {
    return volume.hostPath !== undefined || persistentVolume?.spec?.hostPath !== undefined;
  }

  async mount({ volume, persistentVolume }: MountRequest): Promise<string> {
    const { path, type = '' } = volume.hostPath ?? persistentVolume?.spec?.hostPath ?? { path: '' };
    if (path.split('/').includes('..')) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
    await checkPath(path, type);
    return path;
  }

  async unmount({ podUid, volume }: Omit<MountedVolume, 'path'>): Promise<void> {
    await this.#subPaths.remove(podUid, volume);
  }

  /** Only volumes of which parts are bound: nothing else shows that a pod used a path. */
  async mounted(): Promise<readonly MountedVolume[]> {
    const found: MountedVolume[] = [];
    for (const podUid of await namesIn(join(this.#root, 'pods'))) {
      const folder = join(podFolder(this.#root, podUid), 'volume-subpaths');
      for (const volume of await namesIn(folder)) found.push({ podUid, volume, path: join(folder, volume) });
    }
    return found;
  }

  async grow(): Promise<void> {
    // a path of the machine is as large as its file system
  }

  subPath(request: SubPathRequest): Promise<string> {
    return this.#subPaths.bind(request);
  }
}

async function checkPath(path: string, type: string): Promise<void> {
  if (type === '') return;
  const [what, is] = CHECKS[type] ?? [];
  if (what === undefined || is === undefined) throw new Error(`${type} is an invalid volume type`);
  let stats = await statsOf(path);
  if (stats === undefined && type === 'DirectoryOrCreate') await mkdir(path, { recursive: true, mode: 0o755 });
  if (stats === undefined && type === 'FileOrCreate') await (await open(path, 'a', 0o644)).close();
  stats ??= await statsOf(path);
  if (stats === undefined || !is(stats)) throw new Error(`hostPath type check failed: ${path} is not ${what}`);
}

async function statsOf(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    return undefined;
  });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
