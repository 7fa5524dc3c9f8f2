import type { Clock } from './clock.ts';
import type { Turns } from './turns.ts';

/** Long work runs for this long before other work gets a turn. */
const MAX_SLICE_MS = 5;

/** The time for which long work may run before it must yield. */
export class Slice {
  readonly #turns: Turns;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #end: number;

  constructor(turns: Turns, clock: Pick<Clock, 'monotonic'>) {
    this.#turns = turns;
    this.#clock = clock;
    this.#end = clock.monotonic() + MAX_SLICE_MS;
  }

  get isOver(): boolean {
    return this.#clock.monotonic() > this.#end;
  }

  /** Yields to other work, then starts the next slice. */
  async next(): Promise<void> {
    await this.#turns.take(true);
    this.#end = this.#clock.monotonic() + MAX_SLICE_MS;
  }
}
