import { type Clock, onAbort } from '../../base/index.ts';
import { DelayLine } from './delay-line.ts';
import { Gate } from './gate.ts';
import { defaultRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { WorkLane } from './work-lane.ts';
import type { QueueMetrics } from './work-queue-metrics.ts';

export interface WorkQueueOptions<Item> {
  readonly clock: Clock;
  /** The key of an item: items with equal keys are the same. Default for strings: the string itself. */
  readonly keyOf?: (item: Item) => string;
  /** Merges a waiting item with the same item added again; default the newer one. */
  readonly merge?: (waiting: Item, added: Item) => Item;
  readonly rateLimiter?: RateLimiter;
  readonly metrics?: QueueMetrics;
  /** Maximum number of different items; adding more throws. Default one million. */
  readonly capacity?: number;
}

export interface AddOptions {
  /** Handed out only when no other item waits: for background work such as a resync. */
  readonly isLowPriority?: boolean;
}

/** An item that waits for a worker, is being worked on, or both. */
interface Entry<Item> {
  readonly key: string;
  waiting: { item: Item; isLow: boolean; readonly sinceMs: number } | undefined;
  workingSinceMs: number | undefined;
}

/**
 * A queue of keyed work: each item waits at most once, and one worker at a time works on it.
 *
 * Adding a waiting item changes nothing; adding an item in work queues it again when the work is done. Delayed items
 * join the queue when they are due.
 *
 * Example: add a, add b, add a; take gives a; add a; take gives b; done(a); take gives a.
 */
export class WorkQueue<Item = string> {
  readonly #options: WorkQueueOptions<Item>;
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #entries = new Map<string, Entry<Item>>();
  readonly #normal = new WorkLane<Entry<Item>>((entry) => isReady(entry, false));
  readonly #low = new WorkLane<Entry<Item>>((entry) => isReady(entry, true));
  readonly #delays: DelayLine<Item>;
  readonly #takers = new Set<(item: Item | undefined) => void>();
  #waiting = 0;
  #working = 0;
  #isShutDown = false;
  #drained = new Gate();

  constructor(options: WorkQueueOptions<Item>) {
    const { clock, rateLimiter = defaultRateLimiter(clock), metrics } = options;
    this.#options = options;
    this.#clock = clock;
    this.#limiter = rateLimiter;
    this.#delays = new DelayLine({
      clock,
      merge: (waiting, added) => this.#merged(waiting, added),
      onDue: (item) => this.add(item),
    });
    metrics?.observeWork(() => this.#ages());
  }

  /** The number of items that wait for a worker. */
  get size(): number {
    return this.#waiting;
  }

  /** The number of items in work. */
  get working(): number {
    return this.#working;
  }

  /** The number of delayed items. */
  get delayed(): number {
    return this.#delays.size;
  }

  /** What waits and is worked on, by key, for inspection. */
  get entries(): ReadonlyMap<string, { readonly workingSinceMs: number | undefined }> {
    return this.#entries;
  }

  /** When a delayed item is due, in the clock's monotonic milliseconds; undefined for one that is not delayed. */
  dueMs(key: string): number | undefined {
    return this.#delays.dueMs(key);
  }

  get isShutDown(): boolean {
    return this.#isShutDown;
  }

  add(item: Item, options: AddOptions = {}): void {
    if (this.#isShutDown) return;
    const isLow = options.isLowPriority ?? false;
    const entry = this.#entry(item);
    const { waiting } = entry;
    if (waiting !== undefined) {
      waiting.item = this.#merged(waiting.item, item);
      if (waiting.isLow && !isLow) this.#promote(entry, waiting);
      return;
    }
    entry.waiting = { item, isLow, sinceMs: this.#clock.monotonic() };
    this.#waiting += 1;
    this.#options.metrics?.adds.add();
    this.#options.metrics?.depth.add(1);
    if (entry.workingSinceMs === undefined) this.#line(entry, isLow);
  }

  /** Adds the item after `ms`; an earlier delay of the same item wins. */
  addAfter(item: Item, ms: number): void {
    if (this.#isShutDown) return;
    if (ms <= 0) return this.add(item);
    const key = this.#keyOf(item);
    this.#checkCapacity(key);
    this.#delays.add(key, item, ms);
  }

  /** Removes a delayed item; returns whether it was delayed. An item that waits for a worker stays. */
  cancelDelayed(item: Item): boolean {
    return this.#delays.remove(this.#keyOf(item));
  }

  /** Adds a failed item when the rate limiter allows it. */
  addRateLimited(item: Item): void {
    this.#options.metrics?.retries.add();
    this.addAfter(item, this.#limiter.nextMs(this.#keyOf(item)));
  }

  /** Resets the item's failures. */
  forget(item: Item): void {
    this.#limiter.forget(this.#keyOf(item));
  }

  /** The item's failures since it was last forgotten. */
  failures(item: Item): number {
    return this.#limiter.failures(this.#keyOf(item));
  }

  /** The next item, to be given back with `done`; undefined once the queue is shut down and empty. */
  take(signal?: AbortSignal): Promise<Item | undefined> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const taken = this.#takeNow();
    if (taken !== undefined || this.#isShutDown) return Promise.resolve(taken?.item);
    return new Promise((resolve, reject) => {
      const taker = (item: Item | undefined): void => {
        aborting?.[Symbol.dispose]();
        resolve(item);
      };
      const leave = (): void => {
        this.#takers.delete(taker);
        reject(signal?.reason as Error);
      };
      const aborting = signal === undefined ? undefined : onAbort(signal, leave);
      this.#takers.add(taker);
    });
  }

  /** Ends the work on an item. If it was added meanwhile, it is queued again. */
  done(item: Item): void {
    const entry = this.#entries.get(this.#keyOf(item));
    if (entry?.workingSinceMs === undefined) return;
    this.#options.metrics?.workSeconds.observe((this.#clock.monotonic() - entry.workingSinceMs) / 1000);
    entry.workingSinceMs = undefined;
    this.#working -= 1;
    if (entry.waiting === undefined) this.#entries.delete(entry.key);
    else this.#line(entry, entry.waiting.isLow);
    this.#checkDrained();
  }

  /**
   * Accepts no more items and drops delayed ones. Waiting items are still handed out: workers end when `take` gives
   * undefined.
   */
  shutDown(): void {
    this.#isShutDown = true;
    this.#delays.clear();
    this.#wakeTakers();
    this.#checkDrained();
  }

  /** Resolves when no item waits or is in work. */
  drained(signal?: AbortSignal): Promise<void> {
    if (this.#waiting === 0 && this.#working === 0) return Promise.resolve();
    if (this.#drained.isOpen) this.#drained = new Gate();
    return this.#drained.opened(signal);
  }

  #keyOf(item: Item): string {
    return this.#options.keyOf?.(item) ?? String(item);
  }

  #merged(waiting: Item, added: Item): Item {
    return this.#options.merge === undefined ? added : this.#options.merge(waiting, added);
  }

  #entry(item: Item): Entry<Item> {
    const key = this.#keyOf(item);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    this.#checkCapacity(key);
    const entry: Entry<Item> = { key, waiting: undefined, workingSinceMs: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  #checkCapacity(key: string): void {
    const { capacity = 1_000_000 } = this.#options;
    if (this.#entries.size + this.#delays.size < capacity) return;
    throw new RangeError(`Cannot add "${key}" to the queue: it already holds ${capacity} items`);
  }

  #promote(entry: Entry<Item>, waiting: NonNullable<Entry<Item>['waiting']>): void {
    waiting.isLow = false;
    if (entry.workingSinceMs !== undefined) return;
    this.#low.stray();
    this.#line(entry, false);
  }

  #line(entry: Entry<Item>, isLow: boolean): void {
    (isLow ? this.#low : this.#normal).push(entry);
    this.#wakeTakers();
  }

  #wakeTakers(): void {
    for (const taker of this.#takers) {
      const taken = this.#takeNow();
      if (taken === undefined && !this.#isShutDown) return;
      this.#takers.delete(taker);
      taker(taken?.item);
    }
  }

  #takeNow(): { readonly item: Item } | undefined {
    const entry = this.#normal.shift() ?? this.#low.shift();
    const waiting = entry?.waiting;
    if (entry === undefined || waiting === undefined) return undefined;
    const nowMs = this.#clock.monotonic();
    entry.waiting = undefined;
    entry.workingSinceMs = nowMs;
    this.#waiting -= 1;
    this.#working += 1;
    this.#options.metrics?.depth.add(-1);
    this.#options.metrics?.waitSeconds.observe((nowMs - waiting.sinceMs) / 1000);
    return { item: waiting.item };
  }

  #checkDrained(): void {
    if (this.#waiting === 0 && this.#working === 0) this.#drained.open();
  }

  #ages(): readonly number[] {
    const nowMs = this.#clock.monotonic();
    const working = [...this.#entries.values()].filter((entry) => entry.workingSinceMs !== undefined);
    return working.map((entry) => (nowMs - (entry.workingSinceMs ?? nowMs)) / 1000);
  }
}

function isReady<Item>(entry: Entry<Item>, isLow: boolean): boolean {
  return entry.waiting !== undefined && entry.waiting.isLow === isLow && entry.workingSinceMs === undefined;
}
