import type { Clock, TimerRole } from '../base/index.ts';

/** Sleeps that are passed over; after them the process is taken to be up to date. */
const MAX_SKIPPED_SLEEPS = 1000;

/**
 * The clock of a process that began before now: it passes over sleeps that would be over, until it has caught up.
 *
 * Example: a process that began 10 s ago and does `sleep 4; sleep 8` skips the first one, and waits 2 s in the second one.
 */
export class CatchUpClock implements Clock {
  readonly #clock: Clock;
  /** The time that the process has reached; undefined once it is up to date. */
  #reachedMs: number | undefined;
  #skipped = 0;

  constructor(clock: Clock, sinceMs: number) {
    this.#clock = clock;
    this.#reachedMs = sinceMs < clock.now() ? sinceMs : undefined;
  }

  now(): number {
    return this.#reachedMs ?? this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#reachedMs === undefined) return this.#clock.sleep(ms, signal);
    const untilMs = this.#reachedMs + ms;
    const leftMs = untilMs - this.#clock.now();
    this.#reachedMs = leftMs > 0 || ++this.#skipped > MAX_SKIPPED_SLEEPS ? undefined : untilMs;
    return leftMs > 0 ? this.#clock.sleep(leftMs, signal) : Promise.resolve();
  }

  timer(ms: number, wake: () => void, role?: TimerRole): Disposable {
    const leftMs = this.#reachedMs === undefined ? ms : this.#reachedMs + ms - this.#clock.now();
    return this.#clock.timer(Math.max(0, leftMs), wake, role);
  }
}
