/** Who takes a body as it comes. */
export interface BodySink {
  data(chunk: Uint8Array): void;
  /** Called once. A body that is not whole was broken off. */
  end(isWhole: boolean): void;
}

/** The body was broken off by its client, or by the end of its connection. */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
}

const DISCARD: BodySink = { data: () => undefined, end: () => undefined };

/** The body of a request on its way to whoever wants it. What nobody has taken yet waits; the client's window bounds it. */
export class StreamInput {
  readonly #confirm: (bytes: number) => void;
  #waiting: Uint8Array[] = [];
  #state: 'coming' | 'whole' | 'broken off';
  #sink: BodySink | undefined;
  /** Wakes whoever waits for the next chunk. */
  #wake: (() => void) | undefined;

  /** `confirm` is told of bytes that have been taken, so that the client may send more. */
  constructor(isWhole: boolean, confirm: (bytes: number) => void) {
    this.#state = isWhole ? 'whole' : 'coming';
    this.#confirm = confirm;
  }

  /** Nothing more will come. */
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

  /** From now on, all goes there as it comes, at first what waits. */
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

  /** The body and what still comes of it is thrown away, unless somebody takes it as it comes. */
  discard(): void {
    if (this.#sink === undefined) this.readTo(DISCARD);
  }

  /** The body at the reader's pace. Leaving it early leaves the rest unread. Throws BrokenOffError when it is not whole. */
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
