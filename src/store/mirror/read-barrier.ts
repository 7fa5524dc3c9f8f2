/**
 * Lets many readers share one question to the store.
 *
 * Guarantees: the answer that `pass` gives was asked for after `pass` was called, so the reader sees everything that
 * had happened by then. At most one question is in flight; callers that arrive meanwhile share the next one.
 */
export class ReadBarrier<T> {
  readonly #ask: () => Promise<T>;
  #underway: Promise<unknown> | undefined;
  #next: Promise<T> | undefined;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  pass(): Promise<T> {
    return (this.#next ??= this.#askNext());
  }

  async #askNext(): Promise<T> {
    await this.#underway; // at least one turn, in which others may join
    this.#next = undefined;
    const asked = this.#ask();
    const settled = asked.then(ignore, ignore);
    this.#underway = settled;
    return asked;
  }
}

function ignore(): void {
  // only the end of the question matters here; its outcome goes to its callers
}
