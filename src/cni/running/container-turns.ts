/**
 * Who runs beside whom: work of one container in order, of different containers at the same time, and some work alone, after all that
 * began before it and before all that comes after.
 */
export class ContainerTurns {
  /** By container: the end of its last work. */
  readonly #last = new Map<string, Promise<void>>();
  #alone: Promise<void> = Promise.resolve();

  of<T>(container: string, work: () => Promise<T>): Promise<T> {
    const before = Promise.all([this.#alone, this.#last.get(container)]);
    const { result, end } = startAfter(before, work);
    this.#last.set(container, end);
    void end.then(() => {
      if (this.#last.get(container) === end) this.#last.delete(container);
    });
    return result;
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const { result, end } = startAfter(Promise.all([this.#alone, ...this.#last.values()]), work);
    this.#alone = end;
    return result;
  }
}

/** `end` resolves whether the work succeeds or not. */
function startAfter<T>(
  before: Promise<unknown>,
  work: () => Promise<T>,
): { readonly result: Promise<T>; readonly end: Promise<void> } {
  const result = before.then(work);
  const end = result.then(
    () => undefined,
    () => undefined, // the caller of the work hears of it
  );
  return { result, end };
}
