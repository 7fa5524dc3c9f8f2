import { mkdir, rmdir, stat } from 'node:fs/promises';
import type { MountedVolume, MountRequest, VolumeSource, VolumeStats } from '../../node/index.ts';
import { fileSystemStats } from './disk-usage.ts';
import { DeviceLinks, deviceStats } from './device-links.ts';
import { FolderPlugin, type FolderPluginParts } from './folder-plugin.ts';
import { giveToGroup } from './ownership.ts';

const NAME = 'kubernetes.io/local-volume';

/** `local`: a folder of the machine as a PersistentVolume, bound into the folder of the pod, or a block device (`volumeMode: Block`). */
export class LocalVolumes extends FolderPlugin {
  readonly name = NAME;
  readonly #devices: DeviceLinks;

  constructor(parts: FolderPluginParts) {
    super(parts);
    this.#devices = new DeviceLinks(parts.root, NAME);
  }

  supports({ persistentVolume }: VolumeSource): boolean {
    return persistentVolume?.spec?.local !== undefined;
  }

  override async mount(request: MountRequest): Promise<string> {
    const { persistentVolume, pod } = request;
    if (persistentVolume?.spec?.volumeMode !== 'Block') return super.mount(request);
    const device = pathOf(persistentVolume);
    return this.#devices.make({ podUid: pod.metadata.uid, volume: persistentVolume.metadata.name, device });
  }

  override async unmount(mounted: Omit<MountedVolume, 'path'>): Promise<void> {
    await this.#devices.remove(mounted.podUid, mounted.volume);
    await super.unmount(mounted);
  }

  override async mounted(): Promise<readonly MountedVolume[]> {
    return [...(await super.mounted()), ...(await this.#devices.all())];
  }

  protected async fill(folder: string, { volume, persistentVolume, pod }: MountRequest): Promise<void> {
    const { mountOptions = [] } = persistentVolume?.spec ?? {};
    const path = pathOf(persistentVolume);
    const { mounts, log } = this.parts;
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

  override async stats({ path }: MountedVolume): Promise<VolumeStats> {
    return (await deviceStats(path)) ?? (await fileSystemStats(path));
  }
}

function pathOf(volume: VolumeSource['persistentVolume']): string {
  const { path = '' } = volume?.spec?.local ?? {};
  if (path === '') throw new Error(`LocalVolume volume "${volume?.metadata.name}" path is empty`);
  if (path.split('/').includes('..')) throw new Error(`invalid path: ${path} must not contain '..'`);
  return path;
}
