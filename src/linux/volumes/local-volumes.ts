import { mkdir, rmdir, stat } from 'node:fs/promises';
import type { MountedVolume, MountRequest, VolumeSource, VolumeStats } from '../../node/index.ts';
import { fileSystemStats } from './disk-usage.ts';
import { FolderPlugin } from './folder-plugin.ts';
import { giveToGroup } from './ownership.ts';

/** `local`: a folder of the machine as a PersistentVolume, bound into the folder of the pod. */
export class LocalVolumes extends FolderPlugin {
  readonly name = 'kubernetes.io/local-volume';

  supports({ persistentVolume }: VolumeSource): boolean {
    return persistentVolume?.spec?.local !== undefined;
  }

  protected async fill(folder: string, { volume, persistentVolume, pod }: MountRequest): Promise<void> {
    const { local, volumeMode, mountOptions = [] } = persistentVolume?.spec ?? {};
    const { path = '' } = local ?? {};
    const { mounts, log } = this.parts;
    if (path === '') throw new Error(`LocalVolume volume "${persistentVolume?.metadata.name}" path is empty`);
    if (path.split('/').includes('..')) throw new Error(`invalid path: ${path} must not contain '..'`);
    if (volumeMode === 'Block') throw new Error('volumes of mode Block are not supported on this node');
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined) throw new Error(`path "${path}" does not exist`);
    if (!stats.isDirectory()) throw new Error('only directories are supported on this node');
    if (await mounts.isMountPoint(folder)) return;
    const isReadOnly = volume.persistentVolumeClaim?.readOnly === true;
    await mkdir(folder, { recursive: true, mode: 0o750 });
    try {
      await mounts.bind(path, folder, [...(isReadOnly ? ['ro'] : []), ...mountOptions]);
    } catch (error) {
      if (await mounts.isMountPoint(folder)) await mounts.unmount(folder);
      await rmdir(folder);
      throw error;
    }
    if (!isReadOnly) await giveToGroup(folder, pod, { isReadOnly, hasPolicy: true, log });
  }

  override stats({ path }: MountedVolume): Promise<VolumeStats> {
    return fileSystemStats(path);
  }
}
