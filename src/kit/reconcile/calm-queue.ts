import type { Clock } from '../../base/index.ts';
import type { AddOptions, WorkQueue } from '../../client/index.ts';
import type { Request } from './request.ts';

/** An object whose runs take long is given so many times as long before the next. */
const REST_FACTOR = 9;
/** Runs that wait for many writes take long without much work; so nothing rests longer than this. */
const MAX_REST_MS = 1000;
/** Shorter runs need no rest. */
const LONG_RUN_MS = 2;

/**
 * Lets changes that come together lead to one run instead of many.
 *
 * What is added waits for the end of the event loop's turn, so that a burst of changes is one item of work. An object whose
 * last run took long rests a while, so that its runs do not take all the time, however often it changes.
 */
export class CalmQueue {
  readonly #queue: WorkQueue<Request>;
  readonly #clock: Clock;
  readonly #merge: (waiting: Request, added: Request) => Request;
  readonly #held = new Map<string, { readonly request: Request; readonly isLowPriority: boolean }>();
  readonly #resting = new Map<string, number>();
  #isFlushPlanned = false;

  constructor(queue: WorkQueue<Request>, clock: Clock, merge: (waiting: Request, added: Request) => Request) {
    this.#queue = queue;
    this.#clock = clock;
    this.#merge = merge;
  }

  /** Items that have not reached the queue yet, for want of a turn. */
  get size(): number {
    return this.#held.size;
  }

  add(request: Request, { isLowPriority = false }: AddOptions = {}): void {
    const held = this.#held.get(request.key);
    this.#held.set(request.key, {
      request: held === undefined ? request : this.#merge(held.request, request),
      isLowPriority: isLowPriority && (held?.isLowPriority ?? true),
    });
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => this.#flush());
  }

  /** Tells how long the run of an object took. */
  ran(key: string, durationMs: number): void {
    if (durationMs < LONG_RUN_MS) this.#resting.delete(key);
    else this.#resting.set(key, this.#clock.monotonic() + Math.min(durationMs * REST_FACTOR, MAX_REST_MS));
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    for (const { request, isLowPriority } of this.#held.values()) {
      const restMs = (this.#resting.get(request.key) ?? 0) - this.#clock.monotonic();
      if (restMs > 0) this.#queue.addAfter(request, restMs);
      else {
        this.#resting.delete(request.key);
        this.#queue.add(request, { isLowPriority });
      }
    }
    this.#held.clear();
  }
}
