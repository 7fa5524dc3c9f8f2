import type { Clock } from '../base/index.ts';

export interface RequestRateOptions {
  readonly perSecond: number;
  /** Requests that may come at once after a pause. */
  readonly burst: number;
}

/** Decides whether a request is served now. One that is refused takes nothing from those after it. */
export class RequestRate {
  readonly #clock: Clock;
  readonly #options: RequestRateOptions;
  #tokens: number;
  #filledAtMs: number;

  constructor(clock: Clock, options: RequestRateOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledAtMs = clock.monotonic();
  }

  allows(): boolean {
    const { perSecond, burst } = this.#options;
    const nowMs = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * perSecond);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
