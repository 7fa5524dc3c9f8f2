import type { Clock } from '../../../base/index.ts';

/** Knows for how long a program has sent and seen nothing. */
export class Activity {
  readonly #clock: Clock;
  #lastMs: number;
  #underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastMs = clock.monotonic();
  }

  /** Something has happened. */
  note(): void {
    this.#lastMs = this.#clock.monotonic();
  }

  /** A request is under way until the result is disposed of. */
  begin(): Disposable {
    this.note();
    this.#underWay += 1;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#underWay -= 1;
        this.note();
      },
    };
  }

  /** Milliseconds without anything; 0 while a request is under way. */
  get quietMs(): number {
    return this.#underWay > 0 ? 0 : this.#clock.monotonic() - this.#lastMs;
  }
}
