import { type Clock, type Duration, millisecondsOf, type Runnable } from '../../base/index.ts';
import type { KeyedWorkers, KeyedWorkersOptions } from './keyed-workers.ts';

export interface PassesOptions {
  readonly period: Duration;
  /** Processes everything once. */
  pass(signal: AbortSignal): Promise<void>;
}

/** What passes need of the context of their part. */
export interface PassesContext {
  readonly clock: Clock;
  workers(name: string, options: KeyedWorkersOptions): KeyedWorkers;
}

const PASS = 'pass';

/**
 * Runs a pass over everything on request, at the times at which a loop of this period would: effects are seen no earlier
 * and no later than with the loop, and without requests nothing runs.
 *
 * Example: with a period of 20 s and a start at 3 s, a request at 30 s leads to a pass at 43 s, and so do ten requests. One
 * pass runs at the start. A failed pass runs again at the next of these times.
 */
export class Passes implements Runnable {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #workers: KeyedWorkers;
  #originMs: number | undefined;
  /** The time of the last pass on the grid of periods. */
  #lastMs = -Infinity;

  constructor(context: PassesContext, name: string, options: PassesOptions) {
    const { clock } = context;
    this.#clock = clock;
    this.#periodMs = millisecondsOf(options.period);
    this.#workers = context.workers(name, {
      rateLimiter: { nextMs: () => this.#nextInMs(clock.monotonic()), forget: () => undefined, failures: () => 0 },
      work: async (_, { signal }) => {
        this.#lastMs = this.#gridMs(clock.monotonic(), Math.floor);
        await options.pass(signal);
      },
    });
  }

  /** Requests a pass at the first time not before this one; default now. Monotonic milliseconds. */
  request(notBeforeMs = this.#clock.monotonic()): void {
    if (this.#originMs === undefined) return; // the first pass will run anyway
    this.#workers.addAfter(PASS, this.#nextInMs(notBeforeMs));
  }

  /** Runs passes until the signal aborts. Callable once. */
  async run(signal: AbortSignal): Promise<void> {
    this.#originMs = this.#clock.monotonic();
    this.#workers.add(PASS);
    await this.#workers.run(signal);
  }

  #nextInMs(notBeforeMs: number): number {
    const gridMs = this.#gridMs(notBeforeMs, Math.ceil);
    return (gridMs > this.#lastMs ? gridMs : this.#lastMs + this.#periodMs) - this.#clock.monotonic();
  }

  #gridMs(ms: number, round: (periods: number) => number): number {
    const originMs = this.#originMs ?? 0;
    return originMs + round((ms - originMs) / this.#periodMs) * this.#periodMs;
  }
}
