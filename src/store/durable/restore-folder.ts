import type { Clock } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { Snapshot, SnapshotHead } from '../snapshot/snapshot.ts';
import type { Entry, Revision } from '../store.ts';
import { writeCheckpoint } from './checkpoint-writer.ts';
import { listStoreFiles, MANIFEST_NAME } from './file-names.ts';
import { checkpointMark, writeManifest } from './manifest.ts';
import { openFolder } from './node-files.ts';
import { withFolder } from './offline.ts';

export interface RestoreOptions {
  /** Used to compute the snapshot's age. */
  readonly clock: Clock;
  /**
   * How far the store's revision skips ahead of the snapshot's, so that clients which have seen later revisions list
   * again. Default: far enough if the store was open when the snapshot was taken, otherwise 0.
   */
  readonly bumpRevision?: number;
}

export interface RestoreReport {
  readonly revision: Revision;
  readonly objects: number;
}

/** More revisions than a store writes while a snapshot of it is copied … */
const MIN_BUMP = 1_000_000;
/** … and more than it writes per second until then. */
const BUMP_PER_SECOND = 1000;

/** Enough to pass every revision that an open store can have written since the snapshot. */
function safeBump({ isOfClosedStore, takenMs }: SnapshotHead, nowMs: number): number {
  if (isOfClosedStore) return 0;
  return Math.max(MIN_BUMP, Math.ceil((nowMs - takenMs) / 1000) * BUMP_PER_SECOND);
}

/**
 * Creates a store from a snapshot, in a folder that has none. Objects keep their revisions and deadlines. The earlier
 * history is missing, so watches and reads from before the store's revision fail with `Compacted`.
 *
 * The store comes into being only when the whole snapshot has been verified; until then the folder has none.
 */
export async function restoreFolder(
  folder: string,
  { head, batches }: Snapshot,
  options: RestoreOptions,
): Promise<RestoreReport> {
  if (head.form !== 'embedded')
    throw new TypeError('Cannot restore: the values are in the form that they have in etcd');
  const revision = head.revision + (options.bumpRevision ?? safeBump(head, options.clock.now()));
  if (!Number.isSafeInteger(revision)) throw new StoreError('TooLarge', `Cannot restore at revision ${revision}`);
  await openFolder(folder);
  return withFolder(folder, async (files) => {
    const { segments, checkpoints } = await listStoreFiles(files);
    if (segments.length + checkpoints.length > 0) {
      throw new StoreError('Unavailable', `Cannot restore into "${folder}": there is a store already`);
    }
    const deadlines = new WeakMap<Entry, number>();
    let objects = 0;
    const entries = async function* (): AsyncGenerator<Entry, void, undefined> {
      for await (const batch of batches) {
        for (const { entry, deadlineMs } of batch) {
          if (deadlineMs !== 0) deadlines.set(entry, deadlineMs);
          objects += 1;
          yield entry;
        }
      }
    };
    const deadlineOf = (entry: Entry): number => deadlines.get(entry) ?? 0;
    try {
      await writeManifest(files, checkpointMark(0)); // a store with a checkpoint always has a manifest
      await writeCheckpoint(files, { revision, floor: revision, entries: entries(), deadlineOf });
    } catch (error) {
      await files.remove(MANIFEST_NAME);
      throw error;
    }
    await writeManifest(files, checkpointMark(revision));
    return { revision, objects };
  });
}
