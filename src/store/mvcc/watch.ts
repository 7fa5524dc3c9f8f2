import { OVER, PolledSource } from '../../base/index.ts';
import { contains } from '../key-range.ts';
import { StoreError } from '../errors.ts';
import type { KeyRange, Revision, StoreEvent, WatchBatch, WatchOptions } from '../store.ts';
import type { History } from './history.ts';
import { keyOf } from './revision-record.ts';
import type { Inbox, WatchHub } from './watch-hub.ts';

/** What a watch reads from. */
export interface WatchSource {
  readonly history: History;
  readonly hub: WatchHub;
  readonly isClosed: () => boolean;
}

/** Approximate max events per batch while a reader catches up. */
const MAX_CATCH_UP_EVENTS = 1000;

type Step = IteratorResult<WatchBatch, undefined>;

/**
 * One watch: first the history, at the reader's own pace, then live events.
 *
 * There is no gap between the two because the inbox is opened in the same turn in which the end of the history was
 * reached. Catching up queues nothing, so a slow reader of history can meet compaction, but never `SlowWatcher`.
 */
export class Watch extends PolledSource<WatchBatch> {
  readonly #range: KeyRange;
  readonly #signal: AbortSignal;
  readonly #source: WatchSource;
  readonly #concerns: WatchOptions['concerns'];
  #next: Revision;
  /** Number of progress requests when the watch began; undefined before it began. */
  #marksBefore: number | undefined;
  /** Set once the history has been read to its end. */
  #inbox: Inbox | undefined;
  #forgetSignal: (() => void) | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(range: KeyRange, { from, signal, concerns }: WatchOptions, source: WatchSource) {
    super();
    this.#range = range;
    this.#signal = signal;
    this.#source = source;
    this.#concerns = concerns;
    this.#next = Math.max(from, 1);
  }

  poll(wake: () => void): Step | undefined {
    try {
      const step = this.#isOver
        ? OVER
        : this.#inbox === undefined
          ? this.#catchUp(wake)
          : this.#live(this.#inbox, wake);
      if (step?.done === true) this.leave();
      return step;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  #catchUp(wake: () => void): Step | undefined {
    const { history, hub, isClosed } = this.#source;
    if (this.#marksBefore === undefined && isClosed())
      throw new StoreError('Unavailable', 'Cannot watch the store: it is closed');
    this.#marksBefore ??= hub.progressMarks;
    while (!this.#signal.aborted && !isClosed()) {
      if (this.#next > history.last) return this.#live(this.#open(this.#marksBefore), wake);
      const batch = pastBatch(this.#range, this.#next, history);
      this.#next = batch.revision + 1;
      if (batch.events.length > 0) return { value: batch, done: false };
    }
    return OVER;
  }

  #open(marksBefore: number): Inbox {
    const { history, hub } = this.#source;
    const inbox = hub.open({ range: this.#range, from: this.#next, concerns: this.#concerns });
    if (hub.progressMarks > marksBefore) inbox.offerProgress(history.last); // requested while this watch was catching up
    this.#forgetSignal = hub.aborts.add(this.#signal, () => void inbox.end());
    this.#inbox = inbox;
    return inbox;
  }

  #live(inbox: Inbox, wake: () => void): Step | undefined {
    const step = inbox.poll(this.#wakeSoon);
    if (step === undefined) {
      this.#wake = wake;
      return undefined;
    }
    return step.done === true || this.#signal.aborted ? OVER : { value: inbox.take(step.value), done: false };
  }

  /** Watchers run after the code that writes to the store has finished, all of them together. */
  readonly #wakeSoon = (): void => {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake !== undefined) this.#source.hub.wakeSoon(wake);
  };

  protected leave(): void {
    this.#isOver = true;
    this.#forgetSignal?.();
    this.#forgetSignal = undefined;
    void this.#inbox?.end();
  }
}

/**
 * Events of whole revisions from `from` on, and how far they reach; no events when none up to there concern the range.
 */
function pastBatch(range: KeyRange, from: Revision, history: History): WatchBatch {
  if (from < history.firstServed) {
    const { firstServed: first } = history;
    const what = `Cannot watch from revision ${from}: the history starts at revision ${first}`;
    throw new StoreError('Compacted', what, { firstRevision: first });
  }
  const events: StoreEvent[] = [];
  let revision = from - 1;
  while (revision < history.last && events.length < MAX_CATCH_UP_EVENTS) {
    revision += 1;
    for (const event of history.at(revision).events) if (contains(range, keyOf(event))) events.push(event);
  }
  return { events, revision };
}
