/** Functions that are called with every value until they are disposed of. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  add(listener: (value: T) => void): Disposable {
    const own = (value: T): void => listener(value); // a function that is added twice is called twice
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  notify(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}
