import { contains } from '../key-range.ts';
import { StoreError } from '../errors.ts';
import type { KeyRange, Revision, StoreEvent, WatchBatch, WatchOptions } from '../store.ts';
import type { History } from './history.ts';
import { keyOf } from './revision-record.ts';
import type { WatchHub } from './watch-hub.ts';

/** What a watch reads from. */
export interface WatchSource {
  readonly history: History;
  readonly hub: WatchHub;
  isClosed(): boolean;
}

/** A reader that is behind gets about so many events at a time. */
const CATCH_UP_EVENTS = 1000;

/**
 * One watch: first what the history has, at the reader's own pace, then live.
 *
 * There is no gap between the two because the inbox is opened in the same turn in which the history turned out to be read
 * to its end. Catching up queues nothing, so a reader that takes its time meets compaction, never `SlowWatcher`.
 */
export async function* watch(
  range: KeyRange,
  options: WatchOptions,
  source: WatchSource,
): AsyncGenerator<WatchBatch, void, undefined> {
  if (source.isClosed()) throw new StoreError('Unavailable', 'Cannot watch the store: it is closed');
  const { signal } = options;
  const { history, hub } = source;
  const marksBefore = hub.progressMarks;
  let next = Math.max(options.from, 1);
  while (next <= history.last) {
    if (signal.aborted || source.isClosed()) return;
    const batch = catchUp(range, next, history);
    next = batch.revision + 1;
    if (batch.events.length > 0) yield batch;
  }
  if (signal.aborted || source.isClosed()) return;
  const inbox = hub.open({ range, from: next, concerns: options.concerns });
  if (hub.progressMarks > marksBefore) inbox.offerProgress(history.last); // asked for while this watch was catching up
  const forgetSignal = hub.aborts.add(signal, () => void inbox.end());
  try {
    for (let step = await inbox.next(); step.done !== true && !signal.aborted; step = await inbox.next()) {
      yield inbox.take(step.value);
    }
  } finally {
    forgetSignal();
    await inbox.end();
  }
}

/** Events of whole revisions from `from` on, and how far they go; none when nothing up to there concerns the range. */
function catchUp(range: KeyRange, from: Revision, history: History): WatchBatch {
  if (from < history.first) {
    const { first } = history;
    const what = `Cannot watch from revision ${from}: the history starts at revision ${first}`;
    throw new StoreError('Compacted', what, { firstRevision: first });
  }
  const events: StoreEvent[] = [];
  let revision = from - 1;
  while (revision < history.last && events.length < CATCH_UP_EVENTS) {
    revision += 1;
    for (const event of history.at(revision).events) if (contains(range, keyOf(event))) events.push(event);
  }
  return { events, revision };
}
