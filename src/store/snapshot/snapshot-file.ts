import { createReadStream } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { describeError } from '../../base/index.ts';
import { type DurableFiles, isOutOfSpace } from '../durable/durable-files.ts';
import { openExistingFolder } from '../durable/node-files.ts';
import { StoreError } from '../errors.ts';
import { readSnapshot } from './read-snapshot.ts';
import type { Snapshot, SnapshotEntry } from './snapshot.ts';
import { snapshotBytes } from './snapshot-bytes.ts';

/** Synced in steps of this size, so that other writers never wait for the whole file. */
const SYNC_EVERY_BYTES = 8 * 1024 * 1024;

/**
 * Writes a snapshot into a file that only its owner can read. The file gets its name only when it is complete and on
 * disk, replacing an existing file then. `files` replaces the real folder.
 */
export async function writeSnapshotFile(
  path: string,
  snapshot: Snapshot,
  options: { readonly files?: DurableFiles } = {},
): Promise<{ readonly bytes: number; readonly objects: number }> {
  const name = basename(path);
  const part = `${name}.part`;
  try {
    const files = options.files ?? (await openExistingFolder(dirname(resolve(path))));
    try {
      let objects = 0;
      const batches = counted(snapshot.batches, (count) => (objects += count));
      const bytes = await writePart(files, part, { ...snapshot, batches });
      await files.rename(part, name);
      await files.syncFolder();
      return { bytes, objects };
    } catch (error) {
      await files.remove(part).catch(() => undefined); // the first error is the informative one
      throw error;
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const reason = isOutOfSpace(cause) ? 'NoSpace' : 'Unavailable';
    throw new StoreError(reason, `Cannot write snapshot "${path}": ${describeError(cause)}`, { cause });
  }
}

async function* counted(
  batches: Snapshot['batches'],
  count: (objects: number) => void,
): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
  for await (const batch of batches) {
    count(batch.length);
    yield batch;
  }
}

async function writePart(files: DurableFiles, name: string, snapshot: Snapshot): Promise<number> {
  const file = await files.create(name);
  try {
    let position = 0;
    let syncedTo = 0;
    for await (const piece of snapshotBytes(snapshot)) {
      await file.write(piece, position);
      position += piece.length;
      if (position - syncedTo < SYNC_EVERY_BYTES) continue;
      await file.sync();
      syncedTo = position;
    }
    await file.sync();
    return position;
  } finally {
    await file.close();
  }
}

/** Opens a snapshot written by `writeSnapshotFile`. */
export async function openSnapshotFile(path: string): Promise<Snapshot> {
  const input = createReadStream(path);
  const close = async (): Promise<void> => void input.destroy();
  try {
    return await readSnapshot(input, close);
  } catch (cause) {
    await close();
    if (cause instanceof StoreError) throw cause;
    throw new StoreError('Unavailable', `Cannot read snapshot "${path}": ${describeError(cause)}`, { cause });
  }
}
