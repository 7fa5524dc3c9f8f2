import { type Clock, type Duration, millisecondsOf } from '../../base/index.ts';

/** Says how long an item that failed waits before its next turn. */
export interface RateLimiter {
  /** The item failed once more: how long it waits. */
  nextMs(key: string): number;
  /** The item is done with, whatever came of it: it starts from the beginning next time. */
  forget(key: string): void;
  /** How often the item has failed since it was forgotten. */
  failures(key: string): number;
}

/** How long to wait between tries. */
export interface RetryDelays {
  readonly initialDelay?: Duration;
  readonly maxDelay?: Duration;
}

/** Each item waits twice as long as the time before: by default from 5 ms up to 1,000 s. */
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

/** All items together come no more often than so: 10 a second after 100 at once, unless given. */
export class TokenBucket implements RateLimiter {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  /** Below 0 when items wait already. */
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
    // it knows items only by their number
  }

  failures(): number {
    return 0;
  }
}

/** The strictest of several. */
export function strictestOf(limiters: readonly RateLimiter[]): RateLimiter {
  return {
    nextMs: (key) => Math.max(...limiters.map((limiter) => limiter.nextMs(key))),
    forget: (key) => limiters.forEach((limiter) => limiter.forget(key)),
    failures: (key) => Math.max(...limiters.map((limiter) => limiter.failures(key))),
  };
}

/** What controllers use: each item backs off, and all together do not storm the server. */
export function defaultRateLimiter(clock: Clock): RateLimiter {
  return strictestOf([new ItemBackoff(), new TokenBucket(clock)]);
}
