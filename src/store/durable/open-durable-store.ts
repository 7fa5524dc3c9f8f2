import { describeError, discardLogger, millisecondsOf } from '../../base/index.ts';
import { isStoreError, StoreError } from '../errors.ts';
import { Checkpointer } from './checkpointer.ts';
import { type DurableFiles, isOutOfSpace } from './durable-files.ts';
import { DurableStore, type DurableStoreOptions } from './durable-store.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { FORMAT_VERSION } from './file-header.ts';
import { LogWriter } from './log-writer.ts';
import { Manifest } from './manifest.ts';
import { openFolder } from './node-files.ts';
import { recover, type Recovered } from './recovery.ts';
import { SnapshotService } from './snapshot-service.ts';
import { withoutSync } from './unsynced-files.ts';

const DEFAULT_SEGMENT_BYTES = 16 * 1024 * 1024;
const DEFAULT_CHECKPOINT_AFTER_BYTES = 16 * 1024 * 1024;
const DEFAULT_CHECKPOINT_INTERVAL_MS = 5 * 60 * 1000;

/**
 * Opens the store in `folder`; a new one if the folder is empty or missing.
 *
 * Throws a `StoreError`: `Locked` when another process has it open, `Damaged` with file and offset, `UnknownFormat`
 * when a newer version wrote it, `NoSpace` or `Unavailable` for errors of the system. `files` replaces the real folder,
 * which is then not locked.
 */
export async function openDurableStore(
  folder: string,
  options: DurableStoreOptions & { readonly files?: DurableFiles },
): Promise<DurableStore> {
  let lock: FolderLock | undefined;
  try {
    const { syncs = true } = options;
    const files = options.files ?? (syncs ? await openFolder(folder) : withoutSync(await openFolder(folder)));
    lock = options.files === undefined ? await lockFolder(folder) : undefined;
    return await openLocked(files, lock, options);
  } catch (cause) {
    await lock?.[Symbol.asyncDispose]();
    if (isStoreError(cause, 'Damaged'))
      throw new StoreError('Damaged', `${cause.message}; "keelson store repair" reports what can still be read`);
    if (cause instanceof StoreError) throw cause;
    const reason = isOutOfSpace(cause) ? 'NoSpace' : 'Unavailable';
    throw new StoreError(reason, `Cannot open store "${folder}": ${describeError(cause)}`, { cause });
  }
}

async function openLocked(
  files: DurableFiles,
  lock: FolderLock | undefined,
  options: DurableStoreOptions,
): Promise<DurableStore> {
  const log = options.log ?? discardLogger;
  const startedMs = options.clock.monotonic();
  const recovered = await recover(files, { ...options, log });
  const { mvcc, segments, checkpointBytes } = recovered;
  const manifest = await Manifest.open(files, recovered.mark);
  const writer = await openWriter(files, recovered, { ...options, manifest }).catch(async (error: unknown) => {
    await manifest.close();
    throw error;
  });
  const afterBytes = options.checkpointAfterBytes ?? DEFAULT_CHECKPOINT_AFTER_BYTES;
  const checkpointer = new Checkpointer(
    files,
    { mvcc, segments, manifest },
    {
      clock: options.clock,
      log,
      afterBytes,
      intervalMs: millisecondsOf(options.checkpointInterval ?? DEFAULT_CHECKPOINT_INTERVAL_MS),
      lastBytes: checkpointBytes,
    },
  );
  const tookMs = Math.round(options.clock.monotonic() - startedMs);
  log.info(recovered.isNew ? 'store created' : 'store opened', {
    folder: files.folder,
    revision: mvcc.revision,
    objects: mvcc.size,
    tookMs,
  });
  const snapshots = new SnapshotService(mvcc, { clock: options.clock, log });
  lock?.answer((socket) => snapshots.answer(socket));
  return new DurableStore({ mvcc, writer, checkpointer, lock, log }, options);
}

async function openWriter(
  files: DurableFiles,
  { mvcc, segments, obsolete }: Recovered,
  {
    clock,
    random,
    manifest,
    segmentBytes = DEFAULT_SEGMENT_BYTES,
    checkpointInterval = DEFAULT_CHECKPOINT_INTERVAL_MS,
  }: DurableStoreOptions & { readonly manifest: Manifest },
): Promise<LogWriter> {
  for (const name of obsolete) await files.remove(name);
  const options = { clock, random, segments, manifest, segmentBytes, segmentMs: millisecondsOf(checkpointInterval) };
  const { newest } = segments;
  if (newest === undefined) return LogWriter.begin(files, mvcc.revision, options);
  const writer = await LogWriter.resume(files, newest, options);
  if (newest.version < FORMAT_VERSION) await writer.beginNext(mvcc.revision);
  return writer;
}
