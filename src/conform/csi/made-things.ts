import type { Mounts } from '../../system/index.ts';

/** Removes one thing of a driver each. */
interface Removal {
  readonly options: { readonly canMount: boolean };
  readonly mounts: Pick<Mounts, 'unmountBelow'>;
  readonly folder: string;
  unpublish(volumeId: string, targetPath: string, signal: AbortSignal): Promise<void>;
  unstage(volumeId: string, signal: AbortSignal): Promise<void>;
  detach(volumeId: string, signal: AbortSignal): Promise<void>;
  deleteGroup(groupSnapshotId: string, snapshotIds: readonly string[], signal: AbortSignal): Promise<void>;
  deleteSnapshot(snapshotId: string, signal: AbortSignal): Promise<void>;
  delete(volumeId: string, signal: AbortSignal): Promise<void>;
}

/** What the cases have made of a driver and not removed yet. */
export class MadeThings {
  readonly volumes = new Set<string>();
  readonly snapshots = new Set<string>();
  /** The snapshots of each group. */
  readonly groups = new Map<string, readonly string[]>();
  /** Ids of attached volumes. */
  readonly attached = new Set<string>();
  /** The staging path of each volume. */
  readonly staged = new Map<string, string>();
  /** The volume at each target path. */
  readonly published = new Map<string, string>();

  /** Removes all of it, the last made first. Goes on after failures, and then throws the first one. */
  async remove(world: Removal, signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const each = async (work: Promise<void>): Promise<void> =>
      work.catch((error: unknown) => void failures.push(error));
    for (const [path, id] of this.published) await each(world.unpublish(id, path, signal));
    for (const id of this.staged.keys()) await each(world.unstage(id, signal));
    for (const id of this.attached) await each(world.detach(id, signal));
    for (const [id, members] of this.groups) await each(world.deleteGroup(id, members, signal));
    for (const id of this.snapshots) await each(world.deleteSnapshot(id, signal));
    for (const id of this.volumes) await each(world.delete(id, signal));
    if (world.options.canMount) await world.mounts.unmountBelow(world.folder);
    for (const part of [this.published, this.staged, this.attached, this.groups, this.snapshots, this.volumes])
      part.clear();
    if (failures.length > 0) throw failures[0];
  }
}
