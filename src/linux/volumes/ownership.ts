import type { Dirent, Stats } from 'node:fs';
import { chmod, lchown, lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';

const SETGID = 0o2000;
const FILE_BITS = 0o660;
const READ_ONLY_FILE_BITS = 0o440;
const FOLDER_BITS = 0o110;
const PERMISSIONS = 0o7777;
/** The agent stays the owner of files. */
const SAME_USER = -1;

export interface OwnershipOptions {
  /** The pod may not write to the volume. */
  readonly isReadOnly: boolean;
  /** Whether `fsGroupChangePolicy` counts: it does for volumes that outlive pods. */
  readonly hasPolicy?: boolean;
  readonly log: Logger;
}

/**
 * Gives a volume to the pod's fsGroup: the group owns all files and may use them as their owner may. Does nothing without an fsGroup.
 * As with a kubelet, files that cannot be changed are skipped: some file systems have no owners.
 */
export async function giveToGroup(folder: string, pod: Observed<Pod>, options: OwnershipOptions): Promise<void> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
  if (fsGroup === undefined) return;
  const { isReadOnly, hasPolicy = false, log } = options;
  const isEnough = hasPolicy && fsGroupChangePolicy === 'OnRootMismatch';
  if (isEnough && isGiven(await lstat(folder), fsGroup, isReadOnly)) return;
  await new Giving(fsGroup, isReadOnly, log).give(folder);
}

function isGiven(stats: Stats, group: number, isReadOnly: boolean): boolean {
  const wanted = (isReadOnly ? READ_ONLY_FILE_BITS : FILE_BITS) | FOLDER_BITS | SETGID;
  return stats.isDirectory() && stats.gid === group && (stats.mode & wanted) === wanted;
}

class Giving {
  readonly #group: number;
  readonly #bits: number;
  readonly #log: Logger;

  constructor(group: number, isReadOnly: boolean, log: Logger) {
    this.#group = group;
    this.#bits = isReadOnly ? READ_ONLY_FILE_BITS : FILE_BITS;
    this.#log = log;
  }

  /** A folder comes after what is in it, so that a walk that was broken off is begun again by `OnRootMismatch`. */
  async give(path: string): Promise<void> {
    const stats = await lstat(path);
    if (stats.isDirectory()) for await (const { name } of await entriesOf(path)) await this.give(join(path, name));
    await this.#change(path, stats);
  }

  async #change(path: string, stats: Stats): Promise<void> {
    const failed = (error: unknown): void =>
      this.#log.warn('owner of a file in a volume cannot be changed', { error, path });
    await lchown(path, SAME_USER, this.#group).catch(failed);
    if (stats.isSymbolicLink()) return; // the mode of a link means nothing, and chmod would change what it leads to
    const bits = this.#bits | (stats.isDirectory() ? FOLDER_BITS | SETGID : 0);
    await chmod(path, (stats.mode & PERMISSIONS) | bits).catch(failed);
  }
}

async function entriesOf(path: string): Promise<AsyncIterable<Dirent>> {
  return await opendir(path);
}
