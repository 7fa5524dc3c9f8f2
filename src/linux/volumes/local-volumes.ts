import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedTurns, messageOf } from '../../base/index.ts';
import type { MountedVolume, MountRequest, VolumeSource, VolumeStats } from '../../node/index.ts';
import { DeviceMounter, type SmallShell } from '../../system/index.ts';
import { fileSystemStats } from './disk-usage.ts';
import { DeviceLinks, deviceStats } from './device-links.ts';
import { FolderPlugin, type FolderPluginParts } from './folder-plugin.ts';
import { giveToGroup } from './ownership.ts';

const NAME = 'kubernetes.io/local-volume';

export interface LocalVolumesParts extends FolderPluginParts {
  /** Formats devices and mounts them. */
  readonly shell: Pick<SmallShell, 'run'>;
}

/**
 * `local`: a folder of the machine as a PersistentVolume, bound into the folder of the pod; or a block device, which pods get as it is
 * (`volumeMode: Block`), or with a file system, which is mounted once for all of them.
 */
export class LocalVolumes extends FolderPlugin {
  readonly name = NAME;
  readonly #devices: DeviceLinks;
  readonly #mounter: DeviceMounter;
  /** Devices that are being mounted or unmounted, by volume. */
  readonly #turns = new KeyedTurns();
  /** Where file systems on devices are mounted, by volume. */
  readonly #mountedBelow: string;

  constructor(parts: LocalVolumesParts) {
    super(parts);
    this.#devices = new DeviceLinks(parts.root, NAME);
    this.#mounter = new DeviceMounter(parts);
    this.#mountedBelow = join(parts.root, 'plugins', NAME, 'mounts');
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
    if (!stats.isDirectory() && !stats.isBlockDevice())
      throw new Error('only directory and block device are supported');
    if (await mounts.isMountPoint(folder)) return;
    const isReadOnly = volume.persistentVolumeClaim?.readOnly === true;
    await mkdir(folder, { recursive: true, mode: 0o750 });
    try {
      const source = stats.isBlockDevice() ? await this.#mountDevice(path, persistentVolume) : path;
      await mounts.bind(source, folder, [...(isReadOnly ? ['ro'] : []), ...mountOptions]);
    } catch (error) {
      if (await mounts.isMountPoint(folder)) await mounts.unmount(folder);
      await rmdir(folder);
      throw error;
    }
    if (!isReadOnly) await giveToGroup(folder, pod, { isReadOnly, hasPolicy: true, log });
  }

  /** Unmounts devices whose last pod is gone. */
  async releaseUnused(): Promise<void> {
    const { mounts } = this.parts;
    for (const volume of await readdir(this.#mountedBelow).catch(() => []))
      await this.#turns.take(volume, async () => {
        const used = await super.mounted();
        if (!used.some((each) => each.volume === volume)) await mounts.removeFolder(join(this.#mountedBelow, volume));
      });
  }

  /** Mounts the file system of a device, unless it is mounted; returns where. */
  async #mountDevice(device: string, volume: VolumeSource['persistentVolume']): Promise<string> {
    const { metadata, spec } = volume ?? {};
    const name = metadata?.name ?? '';
    const place = join(this.#mountedBelow, name);
    await this.#turns.take(name, async () => {
      if (await this.parts.mounts.isMountPoint(place)) return;
      await mkdir(place, { recursive: true, mode: 0o750 });
      const { mountOptions: options = [] } = spec ?? {};
      const fsType = spec?.local?.fsType ?? '';
      try {
        await this.#mounter.mount(device, place, { fsType, isReadOnly: false, options });
      } catch (cause) {
        await rmdir(place);
        throw new Error(
          `local: failed to mount device ${device} at ${place} (fstype: ${fsType}), error ${messageOf(cause)}`,
          { cause },
        );
      }
    });
    return place;
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
