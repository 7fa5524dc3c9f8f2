import type { Clock, Logger, Runnable } from '../base/index.ts';
import { ItemBackoff, type QueueMetrics, WorkQueue } from '../client/index.ts';

export interface WorkPoolOptions<Item> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: QueueMetrics;
  readonly keyOf: (item: Item) => string;
  /** So many items are worked on at once. */
  readonly workers: number;
  work(item: Item, signal: AbortSignal): Promise<void>;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

/** Work that is named by key and done by a few at once, each key by one at a time. What fails is tried again, ever later. */
export class WorkPool<Item> implements Runnable {
  readonly #options: WorkPoolOptions<Item>;
  readonly #queue: WorkQueue<Item>;

  constructor(options: WorkPoolOptions<Item>) {
    const { clock, keyOf, metrics } = options;
    this.#options = options;
    const rateLimiter = new ItemBackoff({ initialMs: FIRST_RETRY_MS, capMs: LAST_RETRY_MS });
    this.#queue = new WorkQueue<Item>({ clock, keyOf, rateLimiter, ...(metrics === undefined ? {} : { metrics }) });
  }

  /** Nothing waits but for time to pass. */
  get isIdle(): boolean {
    return this.#queue.size === 0 && this.#queue.working === 0;
  }

  add(item: Item): void {
    this.#queue.add(item);
  }

  addAfter(item: Item, ms: number): void {
    this.#queue.addAfter(item, ms);
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#queue.shutDown();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    await Promise.all(Array.from({ length: this.#options.workers }, () => this.#worker(signal)));
    signal.removeEventListener('abort', stop);
  }

  async #worker(signal: AbortSignal): Promise<void> {
    for (let item = await this.#queue.take(); item !== undefined; item = await this.#queue.take()) {
      if (!signal.aborted) await this.#work(item, signal);
      this.#queue.done(item);
    }
  }

  async #work(item: Item, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.work(item, signal);
      this.#queue.forget(item);
    } catch (error) {
      if (signal.aborted) return; // what was cut off by stopping has not failed
      this.#options.log.warn('node work failed', { error, item: this.#options.keyOf(item) });
      this.#queue.addRateLimited(item);
    }
  }
}
