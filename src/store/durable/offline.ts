import { stat } from 'node:fs/promises';
import { type Clock, discardLogger, type Logger } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { DurableFiles } from './durable-files.ts';
import { type FolderLockOptions, lockFolder } from './folder-lock.ts';
import { openExistingFolder } from './node-files.ts';
import { recover, type Recovered } from './recovery.ts';

/** What the operations on a store that nobody has open need. */
export interface OfflineOptions {
  readonly clock: Clock;
  readonly log?: Logger;
}

/**
 * Runs `work` on the files of a store, and keeps everybody else out meanwhile: throws `Locked` when somebody is in.
 *
 * With `isOnlyRead` the folder may be one that cannot be written to.
 */
export async function withFolder<T>(
  folder: string,
  work: (files: DurableFiles) => Promise<T>,
  options: FolderLockOptions = {},
): Promise<T> {
  const found = await stat(folder).catch(() => undefined); // whatever the reason, it cannot be opened
  if (found?.isDirectory() !== true)
    throw new StoreError('Unavailable', `Cannot open store "${folder}": there is no such folder`);
  const files = await openExistingFolder(folder);
  await using _lock = await lockFolder(folder, options);
  return await work(files);
}

/** The newest state alone; of the history only what is needed to get there. */
export function recoverState(files: DurableFiles, options: OfflineOptions): Promise<Recovered> {
  return recover(files, { clock: options.clock, log: options.log ?? discardLogger, history: { maxRevisions: 1 } });
}

export async function fileSize(files: DurableFiles, name: string): Promise<number> {
  const file = await files.openToRead(name);
  await file.close();
  return file.size;
}
