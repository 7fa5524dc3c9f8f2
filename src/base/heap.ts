/** An item's position in a `Heap`; keep it to be able to remove the item. */
export interface HeapEntry<T> {
  readonly item: T;
  /** The current index, -1 after removal. Only the heap changes it. */
  index: number;
}

/**
 * A binary heap that supports the removal of any entry.
 *
 * Guarantees: `pop` returns the smallest item; push, pop and remove cost O(log n).
 * Assumes: `isBefore` is a strict order. For a stable order give items a sequence number and compare it last.
 */
export class Heap<T> {
  readonly #isBefore: (left: T, right: T) => boolean;
  readonly #entries: HeapEntry<T>[] = [];

  constructor(isBefore: (left: T, right: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  push(item: T): HeapEntry<T> {
    const entry: HeapEntry<T> = { item, index: this.#entries.length };
    this.#entries.push(entry);
    this.#rise(entry);
    return entry;
  }

  peek(): T | undefined {
    return this.#entries[0]?.item;
  }

  pop(): T | undefined {
    const first = this.#entries[0];
    if (first === undefined) return undefined;
    this.remove(first);
    return first.item;
  }

  /** Removes the entry; `false` if it was already popped or removed. */
  remove(entry: HeapEntry<T>): boolean {
    const index = entry.index;
    if (index < 0 || this.#entries[index] !== entry) return false;
    entry.index = -1;
    const last = this.#entries.pop() as HeapEntry<T>;
    if (last === entry) return true;
    this.#place(last, index);
    this.#sink(last);
    this.#rise(last);
    return true;
  }

  #place(entry: HeapEntry<T>, index: number): void {
    entry.index = index;
    this.#entries[index] = entry;
  }

  #rise(entry: HeapEntry<T>): void {
    while (entry.index > 0) {
      const index = entry.index;
      const parent = this.#entries[(index - 1) >> 1] as HeapEntry<T>;
      if (!this.#isBefore(entry.item, parent.item)) return;
      this.#place(entry, parent.index);
      this.#place(parent, index);
    }
  }

  #sink(entry: HeapEntry<T>): void {
    for (;;) {
      const index = entry.index;
      const child = this.#smallerChild(index);
      if (child === undefined || !this.#isBefore(child.item, entry.item)) return;
      this.#place(entry, child.index);
      this.#place(child, index);
    }
  }

  #smallerChild(index: number): HeapEntry<T> | undefined {
    const left = this.#entries[2 * index + 1];
    const right = this.#entries[2 * index + 2];
    if (left === undefined || right === undefined) return left;
    return this.#isBefore(right.item, left.item) ? right : left;
  }
}
