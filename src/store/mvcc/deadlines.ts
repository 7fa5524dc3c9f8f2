import { SortedMap, type SortedMapEditor } from '../../base/index.ts';

/** Enough digits for any time a `Date` can hold. */
const TIME_DIGITS = 17;

/** When each key expires. Copied in constant time, as everything a fork shares. */
export class Deadlines {
  readonly #byKey: SortedMapEditor<number>;
  /** Keyed by time and key, so the first one is due next. */
  readonly #byTime: SortedMapEditor<string>;
  #nextMs: number | undefined;
  #isNextKnown = false;

  constructor(byKey: SortedMap<number> = SortedMap.empty(), byTime: SortedMap<string> = SortedMap.empty()) {
    this.#byKey = byKey.editable();
    this.#byTime = byTime.editable();
  }

  /** When the first key is due, in milliseconds since the Unix epoch; `undefined` when no key has a deadline. */
  get nextMs(): number | undefined {
    if (!this.#isNextKnown) {
      const first = this.#byTime.first();
      this.#nextMs = first === undefined ? undefined : Number(first[0].slice(0, TIME_DIGITS));
      this.#isNextKnown = true;
    }
    return this.#nextMs;
  }

  /** 0 when the key has no deadline. */
  of(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  /** A deadline of 0 means never. */
  set(key: string, deadlineMs: number): void {
    if (deadlineMs === 0 && this.#byKey.size === 0) return;
    const before = deadlineMs === 0 ? this.#byKey.delete(key) : this.#byKey.set(key, deadlineMs);
    if (before === undefined && deadlineMs === 0) return;
    if (before !== undefined) this.#byTime.delete(place(before, key));
    if (deadlineMs !== 0) this.#byTime.set(place(deadlineMs, key), key);
    const isNoSooner = deadlineMs >= (this.#nextMs ?? Infinity) && before === undefined;
    if (!isNoSooner) this.#isNextKnown = false;
  }

  /** The keys whose deadline has passed, longest overdue first. */
  *due(nowMs: number): IterableIterator<string> {
    yield* this.#byTime.values({ to: place(nowMs + 1, '') });
  }

  /** An independent copy; constant time. */
  fork(): Deadlines {
    return new Deadlines(this.#byKey.snapshot(), this.#byTime.snapshot());
  }
}

function place(timeMs: number, key: string): string {
  return timeMs.toString().padStart(TIME_DIGITS, '0') + key;
}
