/** Tasks that run beside the scheduling, no more than `capacity` at once. The rule for "full": who has more waits for room. */
export class TaskPool {
  readonly #capacity: number;
  readonly #tasks = new Set<Promise<void>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** Starts a task, which must not fail: it deals with its failures itself. Assumes that there is room, or that it ends another. */
  start(task: () => Promise<void>): void {
    const running: Promise<void> = task().finally(() => this.#tasks.delete(running));
    this.#tasks.add(running);
  }

  /** Resolves when another task can be started; at once if one can. */
  async room(): Promise<void> {
    while (this.#tasks.size >= this.#capacity) await Promise.race(this.#tasks);
  }

  /** Resolves when all that was started is over. */
  async idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }
}
