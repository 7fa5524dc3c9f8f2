import { mkdir, rmdir } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import type { MountedVolume, MountRequest, VolumeSource, VolumeStats } from '../../node/index.ts';
import { fileSystemStats } from './disk-usage.ts';
import { FolderPlugin } from './folder-plugin.ts';

/** `nfs`: mounted with the machine's mount program, which needs the helper mount.nfs. */
export class NfsVolumes extends FolderPlugin {
  readonly name = 'kubernetes.io/nfs';

  supports({ volume, persistentVolume }: VolumeSource): boolean {
    return volume.nfs !== undefined || persistentVolume?.spec?.nfs !== undefined;
  }

  protected async fill(folder: string, { volume, persistentVolume }: MountRequest): Promise<void> {
    const { mounts } = this.parts;
    const nfs = volume.nfs ?? persistentVolume?.spec?.nfs;
    if (nfs === undefined || (await mounts.isMountPoint(folder))) return;
    const isReadOnly = volume.nfs?.readOnly ?? volume.persistentVolumeClaim?.readOnly ?? false;
    const options = [
      ...new Set([...(persistentVolume?.spec?.mountOptions ?? []), ...(isReadOnly ? ['ro'] : [])]),
    ].sort();
    await mkdir(folder, { recursive: true, mode: 0o750 });
    try {
      const server = isIPv6(nfs.server) ? `[${nfs.server}]` : nfs.server;
      await mounts.mount(`${server}:${nfs.path}`, folder, { type: 'nfs', options });
    } catch (error) {
      if (await mounts.isMountPoint(folder)) await mounts.unmount(folder);
      await rmdir(folder);
      throw error;
    }
  }

  override stats({ path }: MountedVolume): Promise<VolumeStats> {
    return fileSystemStats(path);
  }
}
