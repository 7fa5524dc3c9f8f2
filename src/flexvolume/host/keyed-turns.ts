/** One piece of work at a time for each key; others wait in order. Those that wait are bounded by the pods of a node. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.then(work);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
