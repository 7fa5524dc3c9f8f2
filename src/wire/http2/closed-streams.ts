const REMEMBERED = 128;

/** Remembers how the last streams of a connection ended: what still comes for them depends on it. */
export class ClosedStreams {
  /** By turns; those that we reset with a minus. */
  readonly #ids = new Int32Array(REMEMBERED);
  #next = 0;

  add(id: number, isResetByUs: boolean): void {
    this.#ids[this.#next] = isResetByUs ? -id : id;
    this.#next = (this.#next + 1) % REMEMBERED;
  }

  /** Undefined when it ended long ago, or never began. */
  find(id: number): 'reset by us' | 'ended' | undefined {
    if (this.#ids.includes(-id)) return 'reset by us';
    return this.#ids.includes(id) ? 'ended' : undefined;
  }
}
