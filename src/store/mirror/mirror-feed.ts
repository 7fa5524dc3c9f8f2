import {
  Backoff,
  type Clock,
  discardLogger,
  Heap,
  type HeapEntry,
  type Logger,
  type Runnable,
  SortedMap,
} from '../../base/index.ts';
import { isStoreError, StoreError } from '../errors.ts';
import { Deadlines } from '../mvcc/deadlines.ts';
import { Mvcc, type MvccOptions } from '../mvcc/mvcc.ts';
import type { Entry, KeyRange, Revision } from '../store.ts';
import { applyBatch, kept, MirrorGap } from './apply-batch.ts';
import type { MirroredStore, MirroredWatch } from './mirrored-store.ts';
import type { OwnValues } from './own-values.ts';

export interface MirrorFeedOptions extends MvccOptions {
  readonly range: KeyRange;
  readonly ownValues: OwnValues;
  readonly log?: Logger;
  /** Max time to wait for the mirror; default 10 s. */
  readonly maxWaitMs?: number;
}

const DEFAULT_MAX_WAIT_MS = 10_000;
const RETRY = { initialMs: 100, capMs: 5000, jitter: 0.2 };
/** Delay before asking the store: the awaited event is usually already on its way. */
const PROGRESS_REQUEST_DELAY_MS = 5;

/**
 * Keeps a copy of a range of a store's keys: lists it once, then follows a watch. When the watch cannot continue,
 * because the events it missed have been compacted, the copy is rebuilt and every watch of it ends with `Compacted`.
 */
export class MirrorFeed implements Runnable {
  readonly #origin: MirroredStore;
  readonly #options: MirrorFeedOptions;
  readonly #log: Logger;
  readonly #waiters: RevisionWaiters;
  #mvcc: Mvcc | undefined;
  #watch: MirroredWatch | undefined;
  #asking: Disposable | undefined;
  #askFor: Revision = 0;
  #lastFailure: unknown;
  #isOver = false;

  constructor(origin: MirroredStore, options: MirrorFeedOptions) {
    this.#origin = origin;
    this.#options = options;
    this.#log = options.log ?? discardLogger;
    this.#waiters = new RevisionWaiters(origin.clock);
  }

  /** The copy as it is now; `undefined` before there is one. */
  get mvcc(): Mvcc | undefined {
    return this.#mvcc;
  }

  /** The copy, once it has reached `revision` (default: any). Rejects with `Unavailable` after `maxWaitMs`. */
  async reached(revision: Revision = 0): Promise<Mvcc> {
    if (this.#isOver) throw closed();
    if (this.#mvcc === undefined || this.#mvcc.revision < revision) {
      this.#askSoon(revision);
      const timeoutMs = this.#options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS;
      await this.#waiters.wait(revision, { timeoutMs, onTimeout: () => this.#tooLate(revision, timeoutMs) });
    }
    return this.#mvcc as Mvcc;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#origin;
    const backoff = new Backoff(RETRY, random);
    while (!signal.aborted) {
      try {
        await this.#load(signal);
        backoff.reset();
        await this.#follow(this.#mvcc as Mvcc, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#lastFailure = error;
        const isBehind = error instanceof MirrorGap || isStoreError(error, 'Compacted');
        this.#log.warn(isBehind ? 'mirror of the store is rebuilt' : 'mirror of the store has failed', { error });
        await clock.sleep(backoff.nextMs(), signal);
      }
    }
    this.#isOver = true;
    this.#asking?.[Symbol.dispose]();
    this.#waiters.rejectAll(closed());
    await this.#mvcc?.close();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { range, ownValues, history, watch } = this.#options;
    const before = this.#mvcc;
    const mvcc = await loadMirror(this.#origin, range, { signal, before, ownValues, history, watch });
    this.#mvcc = mvcc;
    await before?.close();
    this.#waiters.release(mvcc.revision);
  }

  async #follow(mvcc: Mvcc, signal: AbortSignal): Promise<void> {
    const { range, ownValues } = this.#options;
    this.#watch = this.#origin.openWatch(range, { from: mvcc.revision + 1, signal, hasPrevious: false });
    if (this.#askFor > mvcc.revision) this.#watch.wantProgress(this.#askFor);
    for await (const batch of this.#watch) {
      applyBatch(mvcc, batch, { ownValues, timeMs: this.#origin.clock.now() });
      this.#waiters.release(mvcc.revision);
    }
  }

  /** Makes sure that `revision` is reached even if it changed nothing in the range. */
  #askSoon(revision: Revision): void {
    this.#askFor = Math.max(this.#askFor, revision);
    this.#asking ??= this.#origin.clock.timer(PROGRESS_REQUEST_DELAY_MS, () => {
      this.#asking = undefined;
      if (this.#askFor > (this.#mvcc?.revision ?? 0)) this.#watch?.wantProgress(this.#askFor);
    });
  }

  #tooLate(revision: Revision, timeoutMs: number): StoreError {
    const at = this.#mvcc === undefined ? 'is not loaded yet' : `is at ${this.#mvcc.revision}`;
    const wish = revision === 0 ? '' : ` for revision ${revision}`;
    const message = `Cannot read the mirror of the store: it ${at} after waiting ${timeoutMs} ms${wish}`;
    return new StoreError('Unavailable', message, { cause: this.#lastFailure });
  }
}

function closed(): StoreError {
  return new StoreError('Unavailable', 'Cannot use the store: it is closed');
}

interface LoadOptions extends MvccOptions {
  readonly signal: AbortSignal;
  /** The previous mirror, whose entries are reused where nothing has changed. */
  readonly before: Mvcc | undefined;
  readonly ownValues: OwnValues;
}

/** Everything a store has in a range at one revision. */
async function loadMirror(origin: MirroredStore, range: KeyRange, options: LoadOptions): Promise<Mvcc> {
  const { before, ownValues, signal, history, watch } = options;
  const entries = SortedMap.empty<Entry>().editable();
  let revision = 0;
  for await (const page of origin.pages(range, { signal })) {
    revision = page.revision;
    for (const entry of page.entries) {
      const known = before?.get(entry.key);
      entries.set(entry.key, known?.modRevision === entry.modRevision ? known : kept(entry, ownValues));
    }
  }
  const state = { revision, entries: entries.snapshot(), deadlines: new Deadlines() };
  return Mvcc.from(state, { history, watch });
}

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Max waiters; when there are more, the mirror has not moved for a long time. */
const MAX_WAITERS = 100_000;

/** The callers that wait until the mirror has reached a revision. */
class RevisionWaiters {
  readonly #clock: Clock;
  readonly #waiters = new Heap<Waiter>((left, right) => left.revision < right.revision);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rejects with the error from `onTimeout` after `timeoutMs`. */
  wait(revision: Revision, options: { readonly timeoutMs: number; readonly onTimeout: () => Error }): Promise<void> {
    if (this.#waiters.size >= MAX_WAITERS) {
      const message = `Cannot wait for revision ${revision}: ${MAX_WAITERS} requests wait already`;
      return Promise.reject(new StoreError('Unavailable', message));
    }
    return new Promise((resolve, reject) => {
      const timer = this.#clock.timer(options.timeoutMs, () => {
        this.#waiters.remove(entry);
        reject(options.onTimeout());
      });
      const entry: HeapEntry<Waiter> = this.#waiters.push({
        revision,
        resolve: () => {
          timer[Symbol.dispose]();
          resolve();
        },
        reject: (error) => {
          timer[Symbol.dispose]();
          reject(error);
        },
      });
    });
  }

  /** Call when the mirror has reached `revision`. */
  release(revision: Revision): void {
    for (
      let next = this.#waiters.peek();
      next !== undefined && next.revision <= revision;
      next = this.#waiters.peek()
    ) {
      this.#waiters.pop();
      next.resolve();
    }
  }

  rejectAll(error: Error): void {
    for (let next = this.#waiters.pop(); next !== undefined; next = this.#waiters.pop()) next.reject(error);
  }
}
