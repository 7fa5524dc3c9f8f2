import { type MountedVolume, type MountRequest, type VolumeSource } from '../../node/index.ts';
import { replaceFiles } from './atomic-files.ts';
import { EmptyFolders } from './empty-folders.ts';
import { EMPTY_DIR } from './empty-dirs.ts';
import { FolderPlugin, type FolderPluginParts } from './folder-plugin.ts';
import { DISK_CALLS, MEMORY_CALLS } from '../../system/index.ts';
import { makeNestedMountPoints } from './nested-mount-points.ts';
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
  override readonly refreshEvery = REFRESH_MS;
  readonly #kind: Kind;
  readonly #folders: EmptyFolders;
  /** Volumes whose content can never change, by uid and name. */
  readonly #fixed = new Set<string>();

  constructor(kind: Kind, parts: FolderPluginParts) {
    super(parts);
    this.#kind = kind;
    this.name = NAMES[kind];
    this.#folders = new EmptyFolders(parts);
  }

  supports({ volume }: VolumeSource): boolean {
    return volume[this.#kind] !== undefined;
  }

  protected async fill(folder: string, { payload, pod, volume }: MountRequest): Promise<void> {
    const { uid } = pod.metadata;
    const key = keyOf({ podUid: uid, volume: volume.name });
    if (this.#fixed.has(key)) return;
    const { files, missing, isFixed } = (await payload?.()) ?? { files: [], missing: [], isFixed: true };
    if (missing[0] !== undefined) throw new Error(missing.length === 1 ? missing[0] : `[${missing.join(', ')}]`);
    const [medium, calls] = this.#kind === 'configMap' ? ['', DISK_CALLS] : ['Memory', MEMORY_CALLS];
    await this.#folders.setUp(folder, { pod, notes: this.#notes(uid, volume.name), medium });
    await makeNestedMountPoints(folder, volume.name, pod);
    const { clock, random, log } = this.parts;
    const beforeShown = (): Promise<void> => giveToGroup(folder, pod, { isReadOnly: true, log });
    await replaceFiles(folder, files, { clock, random, beforeShown, calls });
    if (isFixed) this.#fixed.add(key);
  }

  override async unmount(mounted: Omit<MountedVolume, 'path'>): Promise<void> {
    this.#fixed.delete(keyOf(mounted));
    await this.#folders.forget(this.#notes(mounted.podUid, mounted.volume));
    await super.unmount(mounted);
  }

  #notes(podUid: string, name: string): string {
    return this.notes(podUid, EMPTY_DIR, `wrapped_${name}`);
  }
}

function keyOf({ podUid, volume }: Omit<MountedVolume, 'path'>): string {
  return `${podUid}/${volume}`;
}
