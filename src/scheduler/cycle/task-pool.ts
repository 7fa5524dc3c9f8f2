/** Tasks that run beside the scheduling loop, at most `capacity` at once. When the pool is full, the loop waits for room. */
export class TaskPool {
  readonly #capacity: number;
  readonly #waiting: (() => void)[] = [];
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /** Starts a task that handles its own failures. Assumes that there is room, or that another task is about to end. */
  start(task: () => Promise<void>): void {
    this.#size += 1;
    void task().finally(() => {
      this.#size -= 1;
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  /** Resolves when another task can be started; at once if one can. */
  async room(): Promise<void> {
    while (this.#size >= this.#capacity) await this.#change();
  }

  /** Resolves when all that was started is over. */
  async idle(): Promise<void> {
    while (this.#size > 0) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}
