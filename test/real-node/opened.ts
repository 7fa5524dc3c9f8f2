/** What a run has opened; disposing it closes the last one first. Stands in for AsyncDisposableStack, which Node.js 20 does not have. */
export class Opened implements AsyncDisposable {
  readonly #closers: AsyncDisposable[] = [];

  use<T extends AsyncDisposable>(something: T): T {
    this.#closers.push(something);
    return something;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let last = this.#closers.pop(); last !== undefined; last = this.#closers.pop())
      await last[Symbol.asyncDispose]();
  }
}
