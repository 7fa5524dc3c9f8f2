import type { Clock } from '../../base/index.ts';

/** Seconds. */
const MAX_RETRY_AFTER = 32;
const REFUSALS_A_SECOND = 3;

/** The Retry-After, in seconds, of a level's refusals: it grows while many are refused, in steps as in TCP. */
export class RetryAfter {
  readonly #clock: Pick<Clock, 'now'>;
  /** Refusals in each of the last seconds, oldest first. */
  readonly #history: { readonly second: number; readonly refusals: number }[] = [];
  #second = 0;
  #refusals = 0;
  #seconds = 1;
  #raisedAt = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Counts one refusal, and returns its Retry-After. */
  refused(): number {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second === this.#second) {
      this.#refusals += 1;
      return this.#seconds;
    }
    this.#history.push({ second: this.#second, refusals: this.#refusals });
    while (
      this.#history.length > MAX_RETRY_AFTER + 1 ||
      second - (this.#history[0]?.second ?? second) > 2 * this.#seconds
    )
      this.#history.shift();
    this.#second = second;
    this.#refusals = 1;
    this.#adjust(second);
    return this.#seconds;
  }

  #adjust(second: number): void {
    const recent = this.#history.filter((past) => second - past.second <= this.#seconds);
    const refusals = recent.reduce((sum, past) => sum + past.refusals, 0);
    if (second - this.#raisedAt >= this.#seconds && refusals >= REFUSALS_A_SECOND * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, MAX_RETRY_AFTER);
      this.#raisedAt = second;
    } else if (refusals < this.#seconds && this.#seconds > 1) {
      this.#seconds -= 1;
    }
  }
}
