/** A map that drops the least recently used entry when it is full. */
export class RecentMap<Value> {
  readonly #capacity: number;
  readonly #values = new Map<string, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#capacity) return;
    for (const oldest of this.#values.keys()) return void this.#values.delete(oldest);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** Drops least recently used entries while they are expired. */
  dropOldest(isOver: (value: Value) => boolean): void {
    for (const [key, value] of this.#values) {
      if (!isOver(value)) return;
      this.#values.delete(key);
    }
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.#values.entries();
  }
}
