import type { Clock } from './clock.ts';
import { nextTurn } from './next-turn.ts';

/** A request is read, processed and answered within this many turns of the event loop. */
const TURNS_OF_OTHERS = 4;

/**
 * Interleaves long work with everything else on the thread.
 *
 * Guarantees: between two slices of any long work the event loop makes a few turns. Started work goes before work that has
 * not started, so that few things are half done; each in order of arrival.
 */
export class Turns {
  readonly #begun: (() => void)[] = [];
  readonly #new: (() => void)[] = [];
  #isGiving = false;
  /** Since when long work has had the thread; undefined once the event loop has turned. */
  #sinceMs: number | undefined;

  /** Resolves when the caller may run, for some milliseconds at most. `isBegun` is false for its first slice. */
  take(isBegun: boolean): Promise<void> {
    return new Promise((resolve) => {
      (isBegun ? this.#begun : this.#new).push(resolve);
      if (!this.#isGiving) void this.#give();
    });
  }

  /** Whether work that shares these turns has held the thread for that long, by any number of its parts, since the event loop last turned. */
  hasHeldFor(ms: number, clock: Pick<Clock, 'monotonic'>): boolean {
    const nowMs = clock.monotonic();
    if (this.#sinceMs === undefined) {
      this.#sinceMs = nowMs;
      void nextTurn().then(() => (this.#sinceMs = undefined));
    }
    return nowMs - this.#sinceMs >= ms;
  }

  async #give(): Promise<void> {
    this.#isGiving = true;
    while (this.#begun.length + this.#new.length > 0) {
      for (let turn = 0; turn < TURNS_OF_OTHERS; turn++) await nextTurn();
      (this.#begun.shift() ?? this.#new.shift())?.();
    }
    this.#isGiving = false;
  }
}
