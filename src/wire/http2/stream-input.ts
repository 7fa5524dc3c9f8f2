/** Receives a body as it arrives. */
export interface BodySink {
  data(chunk: Uint8Array): void;
  /** Called once. `isWhole` is false when the body was aborted. */
  end(isWhole: boolean): void;
}

/** The client aborted the body, or its connection ended. */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
}

const DISCARD: BodySink = { data: () => undefined, end: () => undefined };

/** The body of a request. Unread bytes wait here, limited by the client's window. */
export class StreamInput {
  readonly #confirm: (bytes: number) => void;
  #waiting: Uint8Array[] = [];
  #state: 'coming' | 'whole' | 'broken off';
  #sink: BodySink | undefined;
  /** Wakes the reader that waits for the next chunk. */
  #wake: (() => void) | undefined;

  /** `confirm` is called with the number of bytes read, so that the client may send more. */
  constructor(isWhole: boolean, confirm: (bytes: number) => void) {
    this.#state = isWhole ? 'whole' : 'coming';
    this.#confirm = confirm;
  }

  /** No more bytes can arrive. */
  get isOver(): boolean {
    return this.#state !== 'coming';
  }

  push(chunk: Uint8Array): void {
    if (this.#sink === undefined) {
      if (this.#waiting.length === 0) this.#waiting = [chunk];
      else this.#waiting.push(chunk);
      this.#wake?.();
      return;
    }
    this.#confirm(chunk.length);
    this.#sink.data(chunk);
  }

  end(isWhole: boolean): void {
    if (this.isOver) return;
    this.#state = isWhole ? 'whole' : 'broken off';
    this.#sink?.end(isWhole);
    this.#wake?.();
  }

  /** Passes the waiting bytes and all later ones to the sink. */
  readTo(sink: BodySink): void {
    this.#sink = sink;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const chunk of waiting) {
      this.#confirm(chunk.length);
      sink.data(chunk);
    }
    if (this.isOver) sink.end(this.#state === 'whole');
    this.#wake?.();
  }

  /** Drops the waiting bytes and all later ones, unless a sink receives them. */
  discard(): void {
    if (this.#sink === undefined) this.readTo(DISCARD);
  }

  /**
   * The body with backpressure. Leaving the loop early leaves the rest unread. Throws BrokenOffError when the body was
   * aborted.
   */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) {
        this.#confirm(chunk.length);
        yield chunk;
      } else if (this.#state === 'broken off' || this.#sink !== undefined) {
        throw new BrokenOffError('The body was broken off');
      } else if (this.#state === 'whole') return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
