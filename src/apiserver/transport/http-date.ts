import type { Clock } from '../../base/index.ts';

/** The `date` header: written out once a second, not once an answer. */
export class HttpDate {
  readonly #clock: Clock;
  #second = Number.NaN;
  #text = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get text(): string {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}
