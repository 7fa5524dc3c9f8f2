import type { Clock, Turns } from '../../base/index.ts';

/** Steps of one slice, which take about a millisecond; then other work on the thread gets a turn. */
const SLICE_STEPS = 200;
/** The time after which all containers give a turn, where steps take longer: with long texts, on a busy machine, or because many containers wake up at once. */
const SLICE_MS = 2;
/** What a container may do at once, and gets back over time while it is idle. */
const BURST_STEPS = 50_000;
const STEPS_PER_MS = 0.5;
/** A container without credit gets this many steps after each wait. */
const GRANTED_STEPS = 2 * SLICE_STEPS;
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;

/**
 * The processor time of a container, counted in steps: a command, a turn of a loop, or some kilobytes of text. All of its processes share it.
 *
 * Guarantees: between two slices other work on the thread gets a turn; a container that is always busy is throttled by its clock, ever longer,
 * so that a loop without `sleep` costs next to nothing.
 */
export class Processor {
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #signal: AbortSignal;
  #credit = BURST_STEPS;
  #creditedAtMs: number;
  #slice = 0;
  #waitMs = MIN_WAIT_MS;
  #pausing: Promise<void> | undefined;

  constructor(clock: Clock, turns: Turns, signal: AbortSignal) {
    this.#clock = clock;
    this.#turns = turns;
    this.#signal = signal;
    this.#creditedAtMs = clock.monotonic();
  }

  /** Takes some steps. A promise means that the caller must wait for it before it goes on. */
  take(steps = 1): Promise<void> | undefined {
    this.#slice += steps;
    const isOver = this.#slice >= SLICE_STEPS || this.#turns.hasHeldFor(SLICE_MS, this.#clock);
    if (!isOver && this.#pausing === undefined) return undefined;
    this.#pausing ??= this.#pause().finally(() => (this.#pausing = undefined));
    return this.#pausing;
  }

  async #pause(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    const credit = Math.min(BURST_STEPS, this.#credit + (nowMs - this.#creditedAtMs) * STEPS_PER_MS);
    if (credit === BURST_STEPS) this.#waitMs = MIN_WAIT_MS;
    this.#creditedAtMs = nowMs;
    this.#credit = credit - this.#slice;
    this.#slice = 0;
    if (this.#credit >= 0) return this.#turns.take(true);
    await this.#clock.sleep(this.#waitMs, this.#signal);
    this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
    this.#creditedAtMs = this.#clock.monotonic();
    this.#credit = GRANTED_STEPS;
  }
}
