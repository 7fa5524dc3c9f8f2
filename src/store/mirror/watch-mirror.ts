import { StoreError } from '../errors.ts';
import type { Mvcc } from '../mvcc/mvcc.ts';
import type { KeyRange, Revision, WatchBatch, WatchOptions } from '../store.ts';
import type { MirroredStore } from './mirrored-store.ts';

/** What a watch of the mirror reads from. */
export interface WatchedMirror {
  readonly origin: MirroredStore;
  /** The copy, as soon as there is one; `undefined` when the signal aborted before. */
  copy(signal: AbortSignal): Promise<Mvcc | undefined>;
  /** Number of progress requests so far. */
  progressMarks(): number;
  isClosing(): boolean;
}

/**
 * Watches the mirror; events older than its history come first, from the mirrored store.
 *
 * Ends: as every watch; also with `Compacted` when the mirror was rebuilt.
 */
export async function* watchMirror(
  range: KeyRange,
  options: WatchOptions,
  source: WatchedMirror,
): AsyncGenerator<WatchBatch, void, undefined> {
  const { signal } = options;
  const marksBefore = source.progressMarks();
  let from = Math.max(options.from, 1);
  let mvcc = await source.copy(signal);
  while (mvcc !== undefined && (mvcc.isClosed || from < mvcc.firstWatchable)) {
    // a copy that was just replaced is left alone
    if (!mvcc.isClosed) from = yield* watchOrigin(range, { from, until: mvcc.revision, signal }, source.origin);
    mvcc = await source.copy(signal);
  }
  if (mvcc === undefined) return;
  const batches = mvcc.watch(range, { ...options, from });
  const first = batches.next();
  if (source.progressMarks() > marksBefore) mvcc.requestProgress(); // progress was requested before this watch could receive it
  const { value } = await first;
  if (value !== undefined) yield value;
  yield* batches;
  if (signal.aborted || source.isClosing()) return;
  throw new StoreError('Compacted', 'Cannot continue to watch: events that the mirror missed have been compacted');
}

/** Watches up to `until`, which the store is known to have reached; returns the revision to continue from. */
async function* watchOrigin(
  range: KeyRange,
  options: WatchOptions & { readonly until: Revision },
  origin: MirroredStore,
): AsyncGenerator<WatchBatch, Revision, undefined> {
  const { from, until, signal } = options;
  const watch = origin.openWatch(range, { from, signal, hasPrevious: true });
  watch.wantProgress(until);
  for await (const batch of watch) {
    if (batch.events.length > 0) yield batch;
    if (batch.revision >= until) return batch.revision + 1;
  }
  return until + 1;
}
