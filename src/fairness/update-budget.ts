import type { Clock } from '../base/index.ts';

const PERIOD_MS = 60_000;
const UPDATES = 6;

/** Lets the same object be written six times a minute, so that servers that disagree do not undo each other's writes without end. */
export class UpdateBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Times of the last updates, oldest first. */
  readonly #updates = new Map<string, number[]>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** False when the object has been written often enough for now. */
  take(name: string): boolean {
    const now = this.#clock.monotonic();
    const times = (this.#updates.get(name) ?? []).filter((time) => now - time < PERIOD_MS);
    if (times.length >= UPDATES) return false;
    this.#updates.set(name, [...times, now]);
    return true;
  }

  /** The object is gone. */
  forget(name: string): void {
    this.#updates.delete(name);
  }
}
