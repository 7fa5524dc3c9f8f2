import type { Clock } from '../../base/index.ts';
import type { MirroredWatch } from '../mirror/mirrored-store.ts';
import { Inbox, type WatchLimits } from '../mvcc/watch-hub.ts';
import type { KeyRange, Revision, WatchBatch, WatchOptions } from '../store.ts';

export interface ChannelWatchOptions extends WatchOptions {
  readonly limits: WatchLimits;
  readonly clock: Clock;
  /** Opens the watch; its batches go to `receive` and its error to `fail`. Disposing of the result ends it. */
  open(watch: ChannelWatch): Disposable;
  /** Asks the other side to send progress to all of its watches. */
  askForProgress(): void;
}

/** Delay before asking for progress: the awaited event is usually already on its way. */
const PROGRESS_REQUEST_DELAY_MS = 50;

/**
 * One watch of a store behind a channel. Batches queue until the reader takes them; a queue that grows too large ends
 * the watch with `SlowWatcher`.
 */
export class ChannelWatch implements MirroredWatch {
  readonly #options: ChannelWatchOptions;
  readonly #inbox: Inbox;
  #seen: Revision;
  #wanted: Revision = 0;
  #asking: Disposable | undefined;
  #failure: Error | undefined;

  constructor(range: KeyRange, options: ChannelWatchOptions) {
    this.#options = options;
    this.#seen = options.from - 1;
    this.#inbox = new Inbox({ range, from: options.from }, options.limits, () => undefined);
  }

  wantProgress(revision: Revision): void {
    this.#wanted = Math.max(this.#wanted, revision);
    if (this.#seen >= revision) this.#inbox.offerProgress(this.#seen);
    else this.#asking ??= this.#options.clock.timer(PROGRESS_REQUEST_DELAY_MS, () => this.#ask());
  }

  /** Queues a batch of `weight` bytes. */
  receive(batch: WatchBatch, weight: number): void {
    this.#seen = Math.max(this.#seen, batch.revision);
    this.#inbox.offer({ batch, weight });
  }

  fail(error: Error): void {
    this.#failure = error;
    this.end();
  }

  /** Ends the watch for its reader, without an error. */
  end(): void {
    void this.#inbox.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchBatch, void, undefined> {
    const { signal } = this.#options;
    if (signal.aborted) return;
    const end = (): void => this.end();
    signal.addEventListener('abort', end, { once: true });
    using _open = this.#options.open(this);
    try {
      for (let step = await this.#inbox.next(); step.done !== true; step = await this.#inbox.next()) {
        yield this.#inbox.take(step.value);
      }
    } finally {
      signal.removeEventListener('abort', end);
      this.#asking?.[Symbol.dispose]();
    }
    if (this.#failure !== undefined && !signal.aborted) throw this.#failure;
  }

  #ask(): void {
    this.#asking = undefined;
    if (this.#seen < this.#wanted) this.#options.askForProgress();
  }
}
