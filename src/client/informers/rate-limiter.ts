import { type Clock, type Duration, millisecondsOf } from '../../base/index.ts';

/** Decides how long a failed item waits before it is tried again. */
export interface RateLimiter {
  /** Counts a failure of the item and returns how long it waits. */
  nextMs(key: string): number;
  /** Resets the item's failures: its next wait is the initial one. */
  forget(key: string): void;
  /** The item's failures since it was last forgotten. */
  failures(key: string): number;
}

/** How long to wait between tries. */
export interface RetryDelays {
  readonly initialDelay?: Duration;
  readonly maxDelay?: Duration;
}

/** Exponential back-off per item: each failure doubles the wait, by default from 5 ms up to 1,000 s. */
export class ItemBackoff implements RateLimiter {
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #failures = new Map<string, number>();

  constructor({ initialDelay = 5, maxDelay = 1_000_000 }: RetryDelays = {}) {
    this.#initialMs = millisecondsOf(initialDelay);
    this.#maxMs = millisecondsOf(maxDelay);
  }

  nextMs(key: string): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#initialMs * 2 ** failures, this.#maxMs);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** Limits the rate of all items together; default 10 a second with a burst of 100. */
export class TokenBucket implements RateLimiter {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  /** Negative while items wait for tokens. */
  #tokens: number;
  #filledAtMs: number;

  constructor(clock: Clock, options: { readonly perSecond?: number; readonly burst?: number } = {}) {
    this.#clock = clock;
    this.#perSecond = options.perSecond ?? 10;
    this.#burst = options.burst ?? 100;
    this.#tokens = this.#burst;
    this.#filledAtMs = clock.monotonic();
  }

  nextMs(): number {
    const nowMs = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * this.#perSecond);
    this.#filledAtMs = nowMs;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000;
  }

  forget(): void {
    // it keeps no state per item
  }

  failures(): number {
    return 0;
  }
}

/** Combines limiters: the longest wait counts. */
export function strictestOf(limiters: readonly RateLimiter[]): RateLimiter {
  return {
    nextMs: (key) => Math.max(...limiters.map((limiter) => limiter.nextMs(key))),
    forget: (key) => limiters.forEach((limiter) => limiter.forget(key)),
    failures: (key) => Math.max(...limiters.map((limiter) => limiter.failures(key))),
  };
}

/** The default of controllers: exponential back-off per item, and a token bucket for all items together. */
export function defaultRateLimiter(clock: Clock): RateLimiter {
  return strictestOf([new ItemBackoff(), new TokenBucket(clock)]);
}
