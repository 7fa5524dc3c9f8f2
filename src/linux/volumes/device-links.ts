import { mkdir, readdir, readFile, readlink, realpath, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type MountedVolume, podFolder, type VolumeStats } from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';

const SECTOR_BYTES = 512;

/** The links by which containers get block devices of volumes: `pods/<uid>/volumeDevices/<plugin>/<volume>`, as a kubelet lays them out. */
export class DeviceLinks {
  readonly #root: string;
  readonly #plugin: string;

  /** `root` is the agent's folder, `plugin` the name of a plugin, such as `kubernetes.io/local-volume`. */
  constructor(root: string, plugin: string) {
    this.#root = root;
    this.#plugin = plugin.replace('/', '~');
  }

  /** Makes the link to a device, and returns its path. */
  async make({ podUid, volume, device }: Omit<MountedVolume, 'path'> & { readonly device: string }): Promise<string> {
    const found = await stat(device).catch(() => undefined);
    if (found === undefined) throw new Error(`path "${device}" does not exist`);
    if (!found.isBlockDevice()) throw new Error(`path "${device}" is not a block device`);
    const link = this.#link(podUid, volume);
    if ((await readlink(link).catch(() => undefined)) === device) return link;
    await mkdir(dirname(link), { recursive: true, mode: 0o750 });
    await rm(link, { force: true });
    await symlink(device, link);
    return link;
  }

  async remove(podUid: string, volume: string): Promise<void> {
    await rm(this.#link(podUid, volume), { force: true });
  }

  async all(): Promise<readonly MountedVolume[]> {
    const found: MountedVolume[] = [];
    for (const podUid of await namesIn(podFolder(this.#root, '')))
      for (const volume of await namesIn(dirname(this.#link(podUid, '-'))))
        found.push({ podUid, volume, path: this.#link(podUid, volume) });
    return found;
  }

  #link(podUid: string, volume: string): string {
    return join(podFolder(this.#root, podUid), 'volumeDevices', this.#plugin, volume);
  }
}

/** The size of a block device; undefined for other files. */
export async function deviceStats(path: string): Promise<VolumeStats | undefined> {
  if (!(await stat(path)).isBlockDevice()) return undefined;
  const sectors = await readFile(`/sys/class/block/${basename(await realpath(path))}/size`, 'utf8');
  return { capacityBytes: Number(sectors) * SECTOR_BYTES };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []; // no pod has such a volume
    throw error;
  }
}
