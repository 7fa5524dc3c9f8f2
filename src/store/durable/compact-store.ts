import type { Entry, Revision } from '../store.ts';
import { writeCheckpoint } from './checkpoint-writer.ts';
import type { DurableFiles } from './durable-files.ts';
import { listStoreFiles } from './folder-contents.ts';
import { checkpointMark, writeManifest } from './manifest.ts';
import { fileSize, type OfflineOptions, recoverState, withFolder } from './offline.ts';

export interface CompactReport {
  readonly revision: Revision;
  readonly objects: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Leaves of a store only its newest state, in one file: all history is forgotten. */
export async function compactStore(folder: string, options: OfflineOptions): Promise<CompactReport> {
  return withFolder(folder, async (files) => {
    const bytesBefore = await totalBytes(files);
    const { mvcc, mark } = await recoverState(files, options);
    await writeManifest(files, mark); // a checkpoint is never without one
    const { revision, size } = mvcc;
    const deadlineOf = (entry: Entry): number => mvcc.deadlines.of(entry.key);
    const kept = await writeCheckpoint(files, {
      revision,
      floor: revision,
      entries: mvcc.entriesAt(revision).values(),
      deadlineOf,
    });
    await writeManifest(files, checkpointMark(revision));
    for (const name of await storeFiles(files)) if (name !== kept.name) await files.remove(name);
    await files.syncFolder();
    return { revision, objects: size, bytesBefore, bytesAfter: await totalBytes(files) };
  });
}

async function storeFiles(files: DurableFiles): Promise<string[]> {
  const { segments, checkpoints, leftovers } = await listStoreFiles(files);
  return [...segments.map(({ name }) => name), ...checkpoints.map(({ name }) => name), ...leftovers];
}

async function totalBytes(files: DurableFiles): Promise<number> {
  let total = 0;
  for (const name of await storeFiles(files)) total += await fileSize(files, name);
  return total;
}
