/** How much lies ready for a reader that is slow, before those who bring more have to wait. */
const MAX_WAITING_BYTES = 256 * 1024;

/** Bytes on their way to one reader, who iterates over them once. */
export class ByteInbox implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #end: { readonly error?: Error } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeBringers: (() => void)[] = [];

  /** Whether nothing more can come. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Resolves when there is room for more. What comes after the end, or when the reader has left, is let go. */
  async deliver(bytes: Uint8Array): Promise<void> {
    if (this.isOver || bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#wakeReader?.();
    while (this.#bytes > MAX_WAITING_BYTES && !this.isOver) {
      await new Promise<void>((resolve) => this.#wakeBringers.push(resolve));
    }
  }

  /** The reader gets what lies ready, and then the end or the error. */
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
