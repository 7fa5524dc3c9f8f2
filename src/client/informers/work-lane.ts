/** So many items that were taken may stay: few when nothing waits behind them, since there are hundreds of lanes. */
const FEW = 32;
const MANY = 1024;

/** Things in the order in which they came; some of them may meanwhile be wanted elsewhere, and are skipped. */
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
      const most = this.#head === this.#items.length ? FEW : MANY;
      if (this.#head >= most && this.#head * 2 > this.#items.length) this.#compact();
      if (isWanted) return item;
    }
    return undefined;
  }

  /** One of the items is no longer wanted here. */
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
