import { BoundedQueue } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { KeyRange, Revision, StoreEvent, WatchBatch } from '../store.ts';
import { AbortCalls } from './abort-calls.ts';
import { keyOf, type RevisionRecord } from './revision-record.ts';
import { type Interested, WatchIndex } from './watch-index.ts';

export interface WatchLimits {
  /** Max revisions that may wait for one watcher; default 65,536. */
  readonly maxQueued?: number;
  /** Max bytes that may wait for one watcher; default 128 MiB. One revision may always wait, whatever its size. */
  readonly maxQueuedBytes?: number;
}

const DEFAULT_MAX_QUEUED = 65_536;
const DEFAULT_MAX_QUEUED_BYTES = 128 * 1024 * 1024;

/** Max events per batch for a lagging reader, plus those of one more revision. */
const MAX_BATCH_EVENTS = 100;

/** A batch on its way to watchers; watchers that receive the same events share it. */
interface Queued {
  readonly batch: WatchBatch;
  readonly weight: number;
}

/** What a watch follows. */
interface Followed {
  readonly range: KeyRange;
  /** The first revision to deliver. */
  readonly from: Revision;
  readonly concerns?: ((event: StoreEvent) => boolean) | undefined;
}

/** The queue of one live watch. When it is full, the watch ends with `SlowWatcher`. */
export class Inbox implements Interested {
  readonly range: KeyRange;
  readonly #from: Revision;
  readonly #concerns: Followed['concerns'];
  readonly #queue: BoundedQueue<Queued>;
  readonly #maxBytes: number;
  #bytes = 0;
  #lastOffered: Revision = 0;

  constructor({ range, from, concerns }: Followed, limits: WatchLimits, onClose: (inbox: Inbox) => void) {
    this.range = range;
    this.#from = from;
    this.#concerns = concerns;
    this.#maxBytes = limits.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
    this.#queue = new BoundedQueue(limits.maxQueued ?? DEFAULT_MAX_QUEUED, { onClose: () => onClose(this) });
  }

  offer(queued: Queued): void {
    const { batch, weight } = queued;
    if (batch.events.length > 0 && (batch.revision < this.#from || !this.#isConcerned(batch))) return;
    this.#lastOffered = batch.revision;
    this.#bytes += weight;
    const isTooMuch = this.#bytes > this.#maxBytes && this.#queue.size > 0;
    if (!isTooMuch && this.#queue.offer(queued)) return;
    const { from, to } = this.range;
    const what = `${this.#queue.size} revisions of keys ${JSON.stringify(from)} to ${JSON.stringify(to)}`;
    this.#queue.close(new StoreError('SlowWatcher', `Cannot continue to watch: ${what} wait to be read`));
  }

  #isConcerned({ events }: WatchBatch): boolean {
    return this.#concerns === undefined || events.some(this.#concerns);
  }

  /** Queues a mark that everything up to `revision` has been delivered, unless a queued batch says so already. */
  offerProgress(revision: Revision): void {
    if (this.#queue.size === 0 || this.#lastOffered < revision)
      this.offer({ batch: { events: [], revision }, weight: 0 });
  }

  /** The next batch, to be passed to `take`; done when the watch has ended. */
  next(): Promise<IteratorResult<Queued, undefined>> {
    return this.#queue.next();
  }

  /** The same without a promise; see `Polled`. */
  poll(wake: () => void): IteratorResult<Queued, undefined> | undefined {
    return this.#queue.poll(wake);
  }

  /** The batch, joined with others that wait behind it. */
  take({ batch, weight }: Queued): WatchBatch {
    this.#bytes -= weight;
    return this.#queue.size === 0 ? batch : this.#joined(batch);
  }

  /** Joins revisions for a reader that lags: processing a batch often costs more than processing its events. */
  #joined(first: WatchBatch): WatchBatch {
    const events = [...first.events];
    let { revision } = first;
    while (events.length < MAX_BATCH_EVENTS) {
      const next = this.#queue.takeNow();
      if (next === undefined) break;
      this.#bytes -= next.weight;
      for (const event of next.batch.events) events.push(event);
      ({ revision } = next.batch);
    }
    return { events, revision };
  }

  /** Drops the queued batches and ends the watch. */
  async end(): Promise<void> {
    await this.#queue.return();
  }
}

/**
 * All live watches. Each revision is queued at once for the watches that it concerns; publishing never waits for a
 * reader.
 */
export class WatchHub {
  readonly #limits: WatchLimits;
  readonly #index = new WatchIndex<Inbox>();
  readonly #inboxes = new Set<Inbox>();
  readonly aborts = new AbortCalls();
  #progressMarks = 0;
  #toWake: (() => void)[] = [];

  constructor(limits: WatchLimits = {}) {
    this.#limits = limits;
  }

  /** A watch of everything published from now on that concerns `range`. */
  open(followed: Followed): Inbox {
    const inbox = new Inbox(followed, this.#limits, (closed) => {
      this.#inboxes.delete(closed);
      this.#index.delete(closed);
    });
    this.#inboxes.add(inbox);
    this.#index.add(inbox);
    return inbox;
  }

  publish(record: RevisionRecord): void {
    const { events, revision, weight } = record;
    if (this.#inboxes.size === 0) return;
    if (events.length === 1) {
      const queued: Queued = { batch: { events, revision }, weight }; // shared by all watchers
      this.#index.visit(keyOf(events[0] as StoreEvent), (inbox) => inbox.offer(queued));
      return;
    }
    const concerned = new Map<Inbox, StoreEvent[]>();
    for (const event of events) {
      this.#index.visit(keyOf(event), (inbox) => {
        const own = concerned.get(inbox);
        if (own === undefined) concerned.set(inbox, [event]);
        else own.push(event);
      });
    }
    for (const [inbox, own] of concerned) inbox.offer({ batch: { events: own, revision }, weight });
  }

  /** Calls `wake` when the code that runs now is done; all wake-ups share one microtask. */
  wakeSoon(wake: () => void): void {
    if (this.#toWake.push(wake) === 1) queueMicrotask(this.#wakeAll);
  }

  readonly #wakeAll = (): void => {
    const toWake = this.#toWake;
    this.#toWake = [];
    for (const wake of toWake) wake();
  };

  /** How often `publishProgress` was called. */
  get progressMarks(): number {
    return this.#progressMarks;
  }

  publishProgress(revision: Revision): void {
    this.#progressMarks += 1;
    for (const inbox of this.#inboxes) inbox.offerProgress(revision);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#inboxes, (inbox) => inbox.end()));
  }
}
