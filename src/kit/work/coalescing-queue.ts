import type { Clock } from '../../base/index.ts';
import type { AddOptions, WorkQueue } from '../../client/index.ts';
import { mergeRequests, type Request } from './request.ts';

/** A key rests for this multiple of the time that its last work took. */
const REST_FACTOR = 9;
/** Maximum rest: work that waits for many writes takes long without using much CPU time. */
const MAX_REST_MS = 1000;
/** Shorter work needs no rest. */
const LONG_WORK_MS = 2;

/**
 * The entrance of a work queue that merges changes arriving together, so that they are worked on once.
 *
 * Added keys wait for the end of the event loop's turn, so that a burst of changes is one item of work. A key whose last
 * work took long rests a while, so that it does not take all the time, however often it changes.
 */
export class CoalescingQueue {
  readonly #queue: WorkQueue<Request>;
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly request: Request; readonly isLowPriority: boolean }>();
  readonly #resting = new Map<string, number>();

  constructor(queue: WorkQueue<Request>, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Keys that have not reached the queue yet, because the event loop's turn has not ended. */
  get size(): number {
    return this.#held.size;
  }

  add(request: Request, { isLowPriority = false }: AddOptions = {}): void {
    const held = this.#held.get(request.key);
    this.#held.set(request.key, {
      request: held === undefined ? request : mergeRequests(held.request, request),
      isLowPriority: isLowPriority && (held?.isLowPriority ?? true),
    });
    if (this.#held.size === 1 && held === undefined) setImmediate(() => this.#flush()); // the first of this turn
  }

  /** Records how long the work on a key took. */
  worked(key: string, durationMs: number): void {
    if (durationMs < LONG_WORK_MS) this.#resting.delete(key);
    else this.#resting.set(key, this.#clock.monotonic() + Math.min(durationMs * REST_FACTOR, MAX_REST_MS));
  }

  #flush(): void {
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
