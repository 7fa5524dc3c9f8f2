import { type Clock, Heap, type HeapEntry } from '../../base/index.ts';

interface Delay<Item> {
  readonly key: string;
  item: Item;
  readonly dueMs: number;
  /** Orders items that are due at the same time: first added, first out. */
  readonly sequence: number;
}

export interface DelayLineOptions<Item> {
  readonly clock: Clock;
  readonly onDue: (item: Item) => void;
  /** Merges a waiting item with the same item added again. */
  readonly merge: (waiting: Item, added: Item) => Item;
}

/**
 * Holds items until they are due, each at most once: an item added several times keeps its earliest time. Uses one
 * timer for all items.
 */
export class DelayLine<Item> {
  readonly #options: DelayLineOptions<Item>;
  readonly #delays = new Heap<Delay<Item>>(isEarlier);
  readonly #places = new Map<string, HeapEntry<Delay<Item>>>();
  #timer: Disposable | undefined;
  #nextSequence = 0;

  constructor(options: DelayLineOptions<Item>) {
    this.#options = options;
  }

  get size(): number {
    return this.#delays.size;
  }

  /** When the next item is due, in the clock's monotonic milliseconds; undefined when none waits. */
  get nextDueMs(): number | undefined {
    return this.#delays.peek()?.dueMs;
  }

  /** When the item is due, in the clock's monotonic milliseconds; undefined when it does not wait. */
  dueMs(key: string): number | undefined {
    return this.#places.get(key)?.item.dueMs;
  }

  add(key: string, item: Item, ms: number): void {
    const dueMs = this.#options.clock.monotonic() + ms;
    const old = this.#places.get(key);
    const merged = old === undefined ? item : this.#options.merge(old.item.item, item);
    if (old !== undefined && old.item.dueMs <= dueMs) {
      old.item.item = merged;
      return;
    }
    if (old !== undefined) this.#delays.remove(old);
    this.#places.set(key, this.#delays.push({ key, item: merged, dueMs, sequence: this.#nextSequence++ }));
    this.#planWake();
  }

  /** Removes the item; returns whether it was waiting. */
  remove(key: string): boolean {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    this.#places.delete(key);
    this.#delays.remove(place);
    this.#planWake();
    return true;
  }

  clear(): void {
    while (this.#delays.pop() !== undefined);
    this.#places.clear();
    this.#timer?.[Symbol.dispose]();
  }

  #planWake(): void {
    this.#timer?.[Symbol.dispose]();
    const dueMs = this.nextDueMs;
    if (dueMs === undefined) return;
    const { clock } = this.#options;
    this.#timer = clock.timer(Math.max(0, dueMs - clock.monotonic()), () => this.#release());
  }

  #release(): void {
    const nowMs = this.#options.clock.monotonic();
    for (let delay = this.#delays.peek(); delay !== undefined && delay.dueMs <= nowMs; delay = this.#delays.peek()) {
      this.#delays.pop();
      this.#places.delete(delay.key);
      this.#options.onDue(delay.item);
    }
    this.#planWake();
  }
}

function isEarlier<Item>(left: Delay<Item>, right: Delay<Item>): boolean {
  return left.dueMs === right.dueMs ? left.sequence < right.sequence : left.dueMs < right.dueMs;
}
