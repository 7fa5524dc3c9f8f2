import { type Clock, describeError, type Logger } from '../base/index.ts';

export interface PassPlannerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly periodMs: number;
}

/**
 * Runs a pass over everything when there is a reason to, at the times at which a loop of this period would: what clients
 * can see happens no earlier and no later, and when nothing happens nothing runs.
 *
 * Example: with a period of 20 s and a start at 3 s, a reason at 30 s leads to a pass at 43 s, and so do ten reasons. One
 * pass is run at the start. A pass that fails is run again at the next of these times.
 */
export class PassPlanner {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #periodMs: number;
  #originMs: number | undefined;
  #lastMs = -Infinity;
  #dueMs: number | undefined;
  #wake: (() => void) | undefined;
  #isRunning = false;

  constructor(options: PassPlannerOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#periodMs = options.periodMs;
  }

  get isIdle(): boolean {
    const isDue = this.#dueMs !== undefined && this.#dueMs <= this.#clock.monotonic();
    return !this.#isRunning && !isDue;
  }

  /** There is a reason for a pass, at the first time not before this one; now unless given. Monotonic milliseconds. */
  request(notBeforeMs = this.#clock.monotonic()): void {
    if (this.#originMs === undefined) return; // the first pass is to come anyway
    const periods = Math.ceil((notBeforeMs - this.#originMs) / this.#periodMs);
    const gridMs = this.#originMs + periods * this.#periodMs;
    const dueMs = gridMs > this.#lastMs ? gridMs : this.#lastMs + this.#periodMs;
    if (this.#dueMs !== undefined && this.#dueMs <= dueMs) return;
    this.#dueMs = dueMs;
    this.#wake?.();
  }

  /** Runs passes until the signal aborts. Once only. */
  async run(pass: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#originMs = this.#clock.monotonic();
    this.#dueMs = this.#originMs;
    while (!signal.aborted) {
      const waitMs = (this.#dueMs ?? Infinity) - this.#clock.monotonic();
      if (waitMs <= 0) await this.#runPass(pass, signal);
      else await this.#sleep(waitMs, signal);
    }
  }

  async #runPass(pass: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#lastMs = this.#dueMs ?? this.#clock.monotonic();
    this.#dueMs = undefined;
    this.#isRunning = true;
    try {
      await pass();
    } catch (error) {
      if (signal.aborted) return;
      this.#log.warn('pass failed, will be run again', { error: describeError(error) });
      this.request();
    } finally {
      this.#isRunning = false;
    }
  }

  /** Ends when the time has come, when an earlier time is wanted, or when all is over. */
  #sleep(waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = waitMs === Infinity ? undefined : this.#clock.timer(waitMs, () => wake());
      const wake = (): void => {
        this.#wake = undefined;
        timer?.[Symbol.dispose]();
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
