import { chmod } from 'node:fs/promises';
import { amountsOf } from '../../api/meaning/index.ts';
import type { MountRequest, VolumeSource } from '../../node/index.ts';
import { FolderPlugin } from './folder-plugin.ts';
import { giveToGroup } from './ownership.ts';

/** `emptyDir`: a folder on disk, or a file system in memory or in huge pages. */
export class EmptyDirs extends FolderPlugin {
  readonly name = 'kubernetes.io/empty-dir';

  supports({ volume }: VolumeSource): boolean {
    return volume.emptyDir !== undefined;
  }

  protected async fill(folder: string, { volume, pod }: MountRequest): Promise<void> {
    const { medium = '', sizeLimit } = volume.emptyDir ?? {};
    if (medium !== '' && !(await this.parts.mounts.isMountPoint(folder)))
      await this.#mountMedium(folder, medium, sizeLimit);
    await chmod(folder, 0o777);
    await giveToGroup(folder, pod, false);
  }

  async #mountMedium(folder: string, medium: string, sizeLimit: string | undefined): Promise<void> {
    const { mounts } = this.parts;
    const limit =
      amountsOf({ size: sizeLimit ?? '0' })
        .get('size')
        ?.value() ?? 0;
    if (medium === 'Memory') {
      const options = limit === 0 ? [] : ['-o', `size=${limit}`];
      await mounts.mount('tmpfs', folder, ['-t', 'tmpfs', ...options]);
    } else if (medium === 'HugePages' || medium.startsWith('HugePages-')) {
      const size =
        medium === 'HugePages' ? [] : ['-o', `pagesize=${medium.slice('HugePages-'.length).replace(/i$/, '')}`];
      await mounts.mount('nodev', folder, ['-t', 'hugetlbfs', ...size]);
    } else {
      throw new Error(`unknown storage medium "${medium}"`);
    }
  }
}
