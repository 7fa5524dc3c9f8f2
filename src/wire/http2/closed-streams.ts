const REMEMBERED = 128;

/** Remembers how the last streams of a connection ended, which decides about late frames for them. */
export class ClosedStreams {
  /** A ring; ids of streams that the server reset are negative. */
  readonly #ids = new Int32Array(REMEMBERED);
  #next = 0;

  add(id: number, isResetByUs: boolean): void {
    this.#ids[this.#next] = isResetByUs ? -id : id;
    this.#next = (this.#next + 1) % REMEMBERED;
  }

  /** Undefined when the stream ended long ago, or never existed. */
  find(id: number): 'reset by us' | 'ended' | undefined {
    if (this.#ids.includes(-id)) return 'reset by us';
    return this.#ids.includes(id) ? 'ended' : undefined;
  }
}
