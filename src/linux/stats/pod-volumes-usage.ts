import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import { type MachineFolders, podFolder, type VolumeUsage } from '../../node/index.ts';
import { diskUsage, fileSystemStats } from '../volumes/disk-usage.ts';

/** Volumes are measured again after this long, as a kubelet does by default. */
const KEEP_MS = 60_000;
const MAX_KEPT = 10_000;
/** Measuring is never given up: it is done in small steps. */
const NEVER = new AbortController().signal;
/** Folders of plugins whose volumes are on the machine's own disk. */
const EPHEMERAL = ['empty-dir', 'configmap', 'secret', 'projected', 'downward-api'];

/** How full the volumes of pods are. Folders are walked at most once a minute, and only for a request. */
export class PodVolumesUsage {
  readonly #folders: MachineFolders;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly atMs: number; readonly volumes: readonly VolumeUsage[] }>();

  constructor(folders: MachineFolders, clock: Clock) {
    this.#folders = folders;
    this.#clock = clock;
  }

  async of(podUid: string): Promise<readonly VolumeUsage[]> {
    const known = this.#known.get(podUid);
    const nowMs = this.#clock.monotonic();
    if (known !== undefined && nowMs - known.atMs < KEEP_MS) return known.volumes;
    const volumes = await this.#measure(join(podFolder(this.#folders.root, podUid), 'volumes'));
    this.#known.delete(podUid);
    this.#known.set(podUid, { atMs: nowMs, volumes });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MAX_KEPT) this.#known.delete(oldest);
    return volumes;
  }

  async #own(path: string): Promise<Pick<VolumeUsage, 'usedBytes' | 'inodesUsed'>> {
    const { bytes, inodes } = await diskUsage(path, NEVER);
    return { usedBytes: bytes, inodesUsed: inodes };
  }

  /** Below `volumes/PLUGIN/NAME`, where a kubelet has them. */
  async #measure(folder: string): Promise<readonly VolumeUsage[]> {
    const found: VolumeUsage[] = [];
    for (const plugin of await readdir(folder).catch(() => []))
      for (const name of await readdir(join(folder, plugin)).catch(() => [])) {
        const path = join(folder, plugin, name);
        const isEphemeral = EPHEMERAL.some((each) => plugin.endsWith(`~${each}`));
        try {
          const disk = await fileSystemStats(path);
          found.push({ ...disk, ...(isEphemeral ? await this.#own(path) : {}), name, isEphemeral });
        } catch {
          continue; // unmounted in the meantime
        }
      }
    return found;
  }
}
