import type { Clock } from './clock.ts';
import type { Turns } from './turns.ts';

/** Work goes on for so long at a stretch; then others have their turn. */
const LONGEST_SLICE_MS = 5;

/** The time that long work has before it should take another turn. */
export class Slice {
  readonly #turns: Turns;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #end: number;

  constructor(turns: Turns, clock: Pick<Clock, 'monotonic'>) {
    this.#turns = turns;
    this.#clock = clock;
    this.#end = clock.monotonic() + LONGEST_SLICE_MS;
  }

  get isOver(): boolean {
    return this.#clock.monotonic() > this.#end;
  }

  /** Lets others have their turn, and begins anew. */
  async next(): Promise<void> {
    await this.#turns.take(true);
    this.#end = this.#clock.monotonic() + LONGEST_SLICE_MS;
  }
}
