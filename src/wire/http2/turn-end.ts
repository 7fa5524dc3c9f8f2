/** Calls functions at the end of the current turn of the event loop, after all microtasks; one callback for all connections. */
export class TurnEnd {
  #waiting: (() => void)[] = [];

  add(act: () => void): void {
    if (this.#waiting.push(act) === 1) process.nextTick(this.#run);
  }

  readonly #run = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const act of waiting) act();
  };
}
