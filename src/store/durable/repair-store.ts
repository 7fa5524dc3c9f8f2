import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isStoreError } from '../errors.ts';
import type { Revision } from '../store.ts';
import { writeCheckpoint } from './checkpoint-writer.ts';
import type { DurableFiles } from './durable-files.ts';
import { listStoreFiles, MANIFEST_NAME } from './file-names.ts';
import { checkpointMark, writeManifest } from './manifest.ts';
import { type OfflineOptions, recoverState, withFolder } from './offline.ts';
import { salvage, type Salvaged } from './salvage.ts';

export interface RepairOptions extends OfflineOptions {
  /** Continue with what can be read. Otherwise nothing is changed. */
  readonly acceptLoss: boolean;
}

export interface RepairReport {
  /** What cannot be read. Empty: the store is sound and was left as it is. */
  readonly losses: readonly string[];
  /** Number of objects the store has, or would have after a repair. */
  readonly objects: number;
  readonly revision: Revision;
  /** Folder, inside the store's, to which the original files were moved. */
  readonly movedTo: string | undefined;
}

/**
 * How far a repaired store's revision skips ahead of all revisions in its files.
 *
 * Clients may have seen revisions that were lost, and must not get other objects under the same number.
 */
const REVISION_BUMP = 1_000_000;

/**
 * Turns a damaged store into a sound one with everything that can still be read.
 *
 * The history is dropped and the revision skips ahead, so that clients list again. Until the last step the store counts
 * as damaged, and the repair can be repeated.
 */
export async function repairStore(folder: string, options: RepairOptions): Promise<RepairReport> {
  const repair = async (files: DurableFiles): Promise<RepairReport> => {
    try {
      const { mvcc } = await recoverState(files, options);
      return { losses: [], objects: mvcc.size, revision: mvcc.revision, movedTo: undefined };
    } catch (error) {
      if (!isStoreError(error, 'Damaged')) throw error;
      const salvaged = await salvage(files);
      const losses = [error.message, ...salvaged.losses.filter((loss) => loss !== error.message)];
      const revision = salvaged.highest + REVISION_BUMP;
      const movedTo = options.acceptLoss ? await rebuild(files, salvaged, { ...options, revision }) : undefined;
      return { losses, objects: salvaged.entries.size, revision, movedTo };
    }
  };
  return withFolder(folder, repair, { isOnlyRead: !options.acceptLoss });
}

async function rebuild(
  files: DurableFiles,
  { entries, deadlines }: Salvaged,
  { clock, revision }: OfflineOptions & { readonly revision: Revision },
): Promise<string> {
  const deadlineOf = ({ key }: { readonly key: string }): number => deadlines.get(key) ?? 0;
  const { segments, checkpoints, leftovers } = await listStoreFiles(files);
  await writeCheckpoint(files, { revision, floor: revision, entries: entries.values(), deadlineOf });
  const movedTo = `damaged-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')}`;
  await mkdir(join(files.folder, movedTo), { recursive: true, mode: 0o700 });
  for (const { name } of [...segments, ...checkpoints]) await files.rename(name, `${movedTo}/${name}`);
  if ((await files.list()).includes(MANIFEST_NAME)) await files.rename(MANIFEST_NAME, `${movedTo}/${MANIFEST_NAME}`);
  for (const name of leftovers) await files.remove(name);
  await files.syncFolder();
  await writeManifest(files, checkpointMark(revision));
  return movedTo;
}
