/** Functions that are called with every value, each until it is disposed of. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  add(listener: (value: T) => void): Disposable {
    const own = (value: T): void => listener(value); // one that is added twice is told twice
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  tell(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}
