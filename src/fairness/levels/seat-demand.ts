import type { Clock } from '../../base/index.ts';

/** With one look every ten seconds, what a level once needed is half forgotten after five minutes. */
const KEPT = 0.977;

/** How many seats a level could have used over the last period. */
export interface DemandFigures {
  /** The most at any time. */
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
  /** Goes up with the demand at once, and down slowly. */
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

  /** Of the last period that was closed. */
  get figures(): DemandFigures {
    return this.#figures;
  }

  set(seats: number, now: number): void {
    this.#account(now);
    this.#seats = seats;
    if (seats > this.#highest) this.#highest = seats;
  }

  /** Ends the period and begins another. A period without length only tells the most that was needed. */
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
    const smoothed = Math.max(envelope, KEPT * this.#figures.smoothed + (1 - KEPT) * envelope);
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
