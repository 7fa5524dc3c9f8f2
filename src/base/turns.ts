/** A request is read, worked on and answered within so many turns of the event loop. */
const TURNS_OF_OTHERS = 4;

/**
 * Lets long work take turns with everything else that one thread has to do.
 *
 * Guarantees: between two slices of long work, whoever does them, the event loop goes round a few times. Work that has begun
 * goes before work that has not, so that the number of things half done stays small; each in the order in which it came.
 */
export class Turns {
  readonly #begun: (() => void)[] = [];
  readonly #new: (() => void)[] = [];
  #isGiving = false;

  /** Resolves when the caller may go on, for some milliseconds at most. `isBegun` unless it is its first slice. */
  take(isBegun: boolean): Promise<void> {
    return new Promise((resolve) => {
      (isBegun ? this.#begun : this.#new).push(resolve);
      if (!this.#isGiving) void this.#give();
    });
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

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
