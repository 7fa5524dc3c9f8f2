/** Background tasks, at most `capacity` at once. When it is full, callers wait for room. */
export class TaskPool {
  readonly #capacity: number;
  readonly #waiting: (() => void)[] = [];
  #size = 0;
  #aside = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /** Starts a task, which must handle its own failures. The caller must have waited for room. */
  start(task: () => Promise<void>): void {
    this.#size += 1;
    void task().finally(() => {
      this.#size -= 1;
      this.#tell();
    });
  }

  /** Resolves when another task can be started. */
  async room(): Promise<void> {
    while (this.#size >= this.#capacity) await this.#change();
  }

  /** Resolves when all started tasks have ended. */
  async idle(): Promise<void> {
    while (this.#size + this.#aside > 0) await this.#change();
  }

  /** Called within a task: waits for a promise without occupying room in the pool meanwhile. */
  async aside<T>(wait: Promise<T>): Promise<T> {
    this.#size -= 1;
    this.#aside += 1;
    this.#tell();
    try {
      return await wait;
    } finally {
      this.#aside -= 1;
      this.#size += 1;
    }
  }

  #tell(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}

/** Works on all items, at most `limit` at a time. Then throws the first error, if any. */
export async function inParallel<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  { limit }: { readonly limit: number },
): Promise<void> {
  const failures: unknown[] = [];
  const pool = new TaskPool(limit);
  for (const item of items) {
    if (pool.size >= limit) await pool.room();
    pool.start(async () => {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    });
  }
  await pool.idle();
  if (failures.length > 0) throw failures[0];
}
