/** How many bytes wait for a slow reader before writers have to wait. */
const MAX_WAITING_BYTES = 256 * 1024;

/** A queue of bytes with one reader, which iterates once. */
export class ByteInbox implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #end: { readonly error?: Error } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeBringers: (() => void)[] = [];

  /** Whether no more bytes can arrive. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Resolves when there is room for more. Drops bytes after the end, and when the reader has left. */
  async deliver(bytes: Uint8Array): Promise<void> {
    if (this.isOver || bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#wakeReader?.();
    while (this.#bytes > MAX_WAITING_BYTES && !this.isOver) {
      await new Promise<void>((resolve) => this.#wakeBringers.push(resolve));
    }
  }

  /** The reader gets the queued bytes, and then the end or the error. */
  finish(error?: Error): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wakeReader?.();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          this.#bytes -= next.length;
          this.#wake();
          yield next;
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => (this.#wakeReader = resolve));
        } else if (this.#end.error === undefined) {
          return;
        } else {
          throw this.#end.error;
        }
      }
    } finally {
      this.#waiting.length = 0;
      this.#bytes = 0;
      this.finish();
    }
  }

  #wake(): void {
    const bringers = this.#wakeBringers;
    this.#wakeBringers = [];
    for (const wake of bringers) wake();
  }
}
