import type { MountedVolume, MountRequest, VolumeSource } from '../../node/index.ts';
import { EmptyFolders } from './empty-folders.ts';
import { FolderPlugin, type FolderPluginParts } from './folder-plugin.ts';

export const EMPTY_DIR = 'kubernetes.io/empty-dir';

/** `emptyDir`: a folder on disk, or a file system in memory or in huge pages. */
export class EmptyDirs extends FolderPlugin {
  readonly name = EMPTY_DIR;
  readonly #folders: EmptyFolders;

  constructor(parts: FolderPluginParts) {
    super(parts);
    this.#folders = new EmptyFolders(parts);
  }

  supports({ volume }: VolumeSource): boolean {
    return volume.emptyDir !== undefined;
  }

  protected async fill(folder: string, { volume, pod }: MountRequest): Promise<void> {
    const { medium = '', sizeLimit } = volume.emptyDir ?? {};
    const notes = this.notes(pod.metadata.uid, EMPTY_DIR, volume.name);
    await this.#folders.setUp(folder, { pod, notes, medium, sizeLimit });
  }

  override async unmount(mounted: Omit<MountedVolume, 'path'>): Promise<void> {
    await this.#folders.forget(this.notes(mounted.podUid, EMPTY_DIR, mounted.volume));
    await super.unmount(mounted);
  }
}
