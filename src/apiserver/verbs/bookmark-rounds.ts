import type { Clock } from '../../base/index.ts';
import type { Store } from '../../store/index.ts';

const EVERY_MS = 60_000;

/**
 * Sends the bookmarks of all watches together, once a minute: one timer and one request to the store, however many watches there are;
 * nothing while there are none.
 */
export class BookmarkRounds {
  readonly #clock: Clock;
  readonly #store: Pick<Store, 'requestProgress'>;
  readonly #members = new Set<() => void>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, store: Pick<Store, 'requestProgress'>) {
    this.#clock = clock;
    this.#store = store;
  }

  /** Calls `due` when the next batch without changes should become a bookmark; such a batch follows soon. */
  join(due: () => void): Disposable {
    this.#members.add(due);
    this.#timer ??= this.#clock.timer(EVERY_MS, () => this.#round());
    return {
      [Symbol.dispose]: () => {
        this.#members.delete(due);
        if (this.#members.size > 0) return;
        this.#timer?.[Symbol.dispose]();
        this.#timer = undefined;
      },
    };
  }

  #round(): void {
    this.#timer = this.#clock.timer(EVERY_MS, () => this.#round());
    for (const due of this.#members) due();
    this.#store.requestProgress().catch(() => undefined); // the next round is a minute later
  }
}
