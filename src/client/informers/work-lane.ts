/** The array of an empty queue is compacted when it has this many taken items: there are hundreds of queues. */
const MAX_TAKEN_WHEN_EMPTY = 32;
/** The same while items wait, if the taken ones are more than half of the array. */
const MAX_TAKEN = 1024;

/** A queue that skips items which have moved elsewhere since they were added. */
export class WorkLane<T> {
  readonly #isWanted: (item: T) => boolean;
  #items: T[] = [];
  #head = 0;
  #strays = 0;

  constructor(isWanted: (item: T) => boolean) {
    this.#isWanted = isWanted;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    while (this.#head < this.#items.length) {
      const item = this.#items[this.#head++] as T;
      const isWanted = this.#isWanted(item);
      if (!isWanted) this.#strays -= 1;
      const maxTaken = this.#head === this.#items.length ? MAX_TAKEN_WHEN_EMPTY : MAX_TAKEN;
      if (this.#head >= maxTaken && this.#head * 2 > this.#items.length) this.#compact();
      if (isWanted) return item;
    }
    return undefined;
  }

  /** Counts an item that has moved elsewhere. */
  stray(): void {
    this.#strays += 1;
    if (this.#strays > 1024 && this.#strays * 2 > this.#items.length - this.#head) this.#compact();
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head).filter(this.#isWanted);
    this.#head = 0;
    this.#strays = 0;
  }
}
