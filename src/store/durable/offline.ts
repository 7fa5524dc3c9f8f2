import { stat } from 'node:fs/promises';
import { type Clock, discardLogger, type Logger } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { Entry, Revision } from '../store.ts';
import { writeCheckpoint } from './checkpoint-writer.ts';
import type { DurableFiles } from './durable-files.ts';
import { listStoreFiles } from './file-names.ts';
import { type FolderLockOptions, lockFolder } from './folder-lock.ts';
import { checkpointMark, writeManifest } from './manifest.ts';
import { openExistingFolder } from './node-files.ts';
import { recover, type Recovered } from './recovery.ts';

/** Options of the operations on a closed store. */
export interface OfflineOptions {
  readonly clock: Clock;
  readonly log?: Logger;
}

/**
 * Runs `work` on the files of a store with the folder locked; throws `Locked` when another process has it.
 *
 * With `isOnlyRead` the folder may be read-only.
 */
export async function withFolder<T>(
  folder: string,
  work: (files: DurableFiles) => Promise<T>,
  options: FolderLockOptions = {},
): Promise<T> {
  const found = await stat(folder).catch(() => undefined); // for any error, it cannot be opened
  if (found?.isDirectory() !== true)
    throw new StoreError('Unavailable', `Cannot open store "${folder}": there is no such folder`);
  const files = await openExistingFolder(folder);
  await using _lock = await lockFolder(folder, options);
  return await work(files);
}

/** Recovers the newest state, and only as much history as that takes. */
export function recoverState(files: DurableFiles, options: OfflineOptions): Promise<Recovered> {
  return recover(files, { clock: options.clock, log: options.log ?? discardLogger, history: { maxRevisions: 1 } });
}

export async function fileSize(files: DurableFiles, name: string): Promise<number> {
  const file = await files.openToRead(name);
  await file.close();
  return file.size;
}

export interface CompactReport {
  readonly revision: Revision;
  readonly objects: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Reduces a store to its newest state, in one file: all history is dropped. */
export async function compactStore(folder: string, options: OfflineOptions): Promise<CompactReport> {
  return withFolder(folder, async (files) => {
    const bytesBefore = await totalBytes(files);
    const { mvcc, mark } = await recoverState(files, options);
    await writeManifest(files, mark); // a store with a checkpoint always has a manifest
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
