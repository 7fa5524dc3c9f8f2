import { chmod } from 'node:fs/promises';
import type { MountRequest, VolumeSource } from '../../node/index.ts';
import { replaceFiles } from './atomic-files.ts';
import { FolderPlugin, type FolderPluginParts } from './folder-plugin.ts';
import { giveToGroup } from './ownership.ts';

type Kind = 'configMap' | 'secret' | 'projected' | 'downwardAPI';

const NAMES: Readonly<Record<Kind, string>> = {
  configMap: 'kubernetes.io/configmap',
  secret: 'kubernetes.io/secret',
  projected: 'kubernetes.io/projected',
  downwardAPI: 'kubernetes.io/downward-api',
};
/** How often content is compared with the API; as the kubelet's `syncFrequency`. */
const REFRESH_MS = 60_000;

/** Volumes with files from the API. All but ConfigMaps are kept in memory, so that secrets are never on a disk. */
export class ApiVolumes extends FolderPlugin {
  readonly name: string;
  override readonly refreshEveryMs = REFRESH_MS;
  readonly #kind: Kind;

  constructor(kind: Kind, parts: FolderPluginParts) {
    super(parts);
    this.#kind = kind;
    this.name = NAMES[kind];
  }

  supports({ volume }: VolumeSource): boolean {
    return volume[this.#kind] !== undefined;
  }

  protected async fill(folder: string, { payload, pod }: MountRequest): Promise<void> {
    const { files, missing } = (await payload?.()) ?? { files: [], missing: [] };
    if (missing[0] !== undefined) throw new Error(missing.length === 1 ? missing[0] : `[${missing.join(', ')}]`);
    if (this.#kind !== 'configMap' && !(await this.parts.mounts.isMountPoint(folder)))
      await this.parts.mounts.mount('tmpfs', folder, ['-t', 'tmpfs']);
    await chmod(folder, 0o777);
    const { clock, random } = this.parts;
    await replaceFiles(folder, files, { clock, random, beforeShown: (made) => giveToGroup(made, pod, true) });
  }
}
