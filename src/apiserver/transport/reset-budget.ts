import type { Clock } from '../../base/index.ts';

export interface ResetBudgetOptions {
  readonly maxResets: number;
  readonly resetsPerSecond: number;
}

/**
 * Counts the requests a connection takes back. Starting and resetting streams costs a client next to nothing and the
 * server much (CVE-2023-44487): a connection may do it `maxResets` times at once, and `resetsPerSecond` in the long run.
 */
export class ResetBudget {
  readonly #clock: Clock;
  readonly #options: ResetBudgetOptions;
  #left: number;
  #countedAtMs: number;

  constructor(clock: Clock, options: ResetBudgetOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#left = options.maxResets;
    this.#countedAtMs = clock.monotonic();
  }

  /** False when that was one too many. */
  spend(): boolean {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#countedAtMs) / 1000) * this.#options.resetsPerSecond;
    this.#countedAtMs = now;
    this.#left = Math.min(this.#options.maxResets, this.#left + earned) - 1;
    return this.#left >= 0;
  }
}
