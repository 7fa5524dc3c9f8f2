/**
 * Browsers open at most six connections to a server over HTTP/1.1, over all tabs together, and a watch keeps one. A tab therefore keeps few
 * streams, so that requests always get through; who gets no slot asks again now and then instead.
 */
export class StreamSlots {
  readonly #size: number;
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Returns the function that gives the slot back, or undefined when all are taken. */
  take(): (() => void) | undefined {
    if (this.#taken >= this.#size) return undefined;
    this.#taken++;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken--;
      isTaken = false;
    };
  }
}
