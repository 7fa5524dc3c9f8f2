import type { Clock } from '../../base/index.ts';

/** Decay per ten-second period: past demand counts half after five minutes. */
const DECAY = 0.977;

/** How many seats a level could have used over the last period. */
export interface DemandFigures {
  /** The max at any time. */
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
  /** Follows rising demand at once, and falling demand slowly. */
  readonly smoothed: number;
}

/** Follows the demand for seats of one level: those in use and those that requests wait for. */
export class SeatDemand {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #seats = 0;
  #highest = 0;
  #since: number;
  #totalMs = 0;
  /** Integrals of the demand and of its square. */
  #area = 0;
  #squares = 0;
  #figures: DemandFigures = { highWatermark: 0, average: 0, deviation: 0, smoothed: 0 };

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** The figures of the last completed period. */
  get figures(): DemandFigures {
    return this.#figures;
  }

  set(seats: number, now: number): void {
    this.#account(now);
    this.#seats = seats;
    if (seats > this.#highest) this.#highest = seats;
  }

  /** Ends the period and begins another. A period of length zero only yields the max. */
  close(): DemandFigures {
    this.#account(this.#clock.monotonic());
    const highWatermark = this.#highest;
    this.#figures = this.#totalMs > 0 ? this.#measured(highWatermark) : { ...this.#figures, highWatermark };
    [this.#totalMs, this.#area, this.#squares, this.#highest] = [0, 0, 0, this.#seats];
    return this.#figures;
  }

  #measured(highWatermark: number): DemandFigures {
    const average = this.#area / this.#totalMs;
    const deviation = Math.sqrt(Math.max(0, this.#squares / this.#totalMs - average * average));
    const envelope = average + deviation;
    const smoothed = Math.max(envelope, DECAY * this.#figures.smoothed + (1 - DECAY) * envelope);
    return { highWatermark, average, deviation, smoothed };
  }

  #account(now: number): void {
    const passed = now - this.#since;
    this.#since = now;
    this.#totalMs += passed;
    this.#area += this.#seats * passed;
    this.#squares += this.#seats * this.#seats * passed;
  }
}
