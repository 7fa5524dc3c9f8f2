/** Tasks that run beside the scheduling, no more than `capacity` at once. The rule for "full": who has more waits for room. */
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

  /** Starts a task, which must not fail: it deals with its failures itself. Assumes that there is room, or that it ends another. */
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
