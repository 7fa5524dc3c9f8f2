import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { StoreError } from '../errors.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { connectToOwner, lockFolder } from './folder-lock.ts';
import { openExistingFolder } from './node-files.ts';
import { type OfflineOptions, recoverState } from './offline.ts';
import { SNAPSHOT_REQUEST, snapshotOf } from './snapshot-service.ts';

/**
 * A snapshot of the store in a folder, whether or not a process has it open.
 *
 * An open store serves the snapshot itself and continues to work; a closed one is read from its files, and stays locked
 * until the snapshot is disposed of.
 */
export async function snapshotFolder(folder: string, options: OfflineOptions): Promise<Snapshot> {
  const found = await stat(folder).catch(() => undefined); // for any error, the folder cannot be read
  if (found?.isDirectory() !== true)
    throw new StoreError('Unavailable', `Cannot open store "${folder}": there is no such folder`);
  const owner = await connectToOwner(folder);
  return owner === undefined ? snapshotStopped(folder, options) : snapshotRunning(folder, owner);
}

async function snapshotStopped(folder: string, options: OfflineOptions): Promise<Snapshot> {
  const lock = await lockFolder(folder, { isOnlyRead: true });
  try {
    const { mvcc, isNew } = await recoverState(await openExistingFolder(folder), options);
    if (isNew) throw new StoreError('Unavailable', `Cannot open store "${folder}": there is no store in it`);
    const snapshot = snapshotOf(mvcc, { isOfClosedStore: true, takenMs: options.clock.now() });
    return { ...snapshot, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

async function snapshotRunning(folder: string, socket: Socket): Promise<Snapshot> {
  const close = async (): Promise<void> => {
    if (socket.destroyed) return;
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  };
  try {
    socket.write(SNAPSHOT_REQUEST);
    return await readSnapshot(socket, close);
  } catch (cause) {
    await close();
    if (cause instanceof StoreError && cause.reason === 'Unavailable') throw cause;
    const problem =
      'the process that has it open does not hand out a snapshot: it is busy with the files itself, or of an older version';
    throw new StoreError('Unavailable', `Cannot take a snapshot of store "${folder}": ${problem}`, { cause });
  }
}
