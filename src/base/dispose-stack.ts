/**
 * Owns what was opened so far and closes it in reverse order. It does what AsyncDisposableStack does, which Node.js has from version 24 on.
 *
 * Example: a function that opens several things and returns them together.
 *
 *     await using opened = new DisposeStack(); // closes everything when a later step throws
 *     const log = opened.use(await openLog());
 *     const store = opened.use(await openStore(log));
 *     const kept = opened.move(); // from here on the caller closes them
 *     return { store, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
 */
export class DisposeStack implements AsyncDisposable {
  #resources: (AsyncDisposable | Disposable)[] = [];

  use<T extends AsyncDisposable | Disposable>(resource: T): T {
    this.#resources.push(resource);
    return resource;
  }

  /** Hands everything over to another stack; this one no longer closes it. */
  move(): DisposeStack {
    const other = new DisposeStack();
    other.#resources = this.#resources;
    this.#resources = [];
    return other;
  }

  /** Closes everything, also when closing one of them fails; then the first failure is thrown. */
  async [Symbol.asyncDispose](): Promise<void> {
    const resources = this.#resources;
    this.#resources = [];
    const failures: unknown[] = [];
    for (const resource of resources.reverse()) {
      try {
        if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
        else resource[Symbol.dispose]();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
