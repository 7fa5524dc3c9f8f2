import type { SpdyHeaders } from './header-block.ts';

/** What a stream needs of its session. */
export interface StreamWriter {
  data(stream: number, payload: Uint8Array, isLast: boolean): Promise<void>;
  reset(stream: number, status: number): void;
  /** Nothing more will happen to the stream. */
  forget(stream: number): void;
}

/** How much a stream holds for a reader that is slow, before the whole connection waits for it. */
const MAX_WAITING_BYTES = 256 * 1024;

/** The other side gave up a stream, or the connection was lost. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

/** One of the streams of a connection. Iterating, once, gives what the other side sends, until it is done; leaving the loop gives the rest up. */
export class SpdyStream implements AsyncIterable<Uint8Array> {
  readonly id: number;
  /** Of the side that opened it. */
  readonly headers: SpdyHeaders;
  readonly #writer: StreamWriter;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Why there is no more to come. */
  #end: { readonly error?: Error } | undefined;
  #isLeft = false;
  #isSent = false;
  #wakeReader: (() => void) | undefined;
  #wakeSession: (() => void) | undefined;

  constructor(id: number, headers: SpdyHeaders, writer: StreamWriter) {
    this.id = id;
    this.headers = headers;
    this.#writer = writer;
  }

  /** Resolves when more may be sent. What is sent after the end goes nowhere. */
  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#isSent && bytes.length > 0) await this.#writer.data(this.id, bytes, false);
  }

  /** Says that this side sends no more. */
  async end(): Promise<void> {
    if (this.#isSent) return;
    this.#isSent = true;
    await this.#writer.data(this.id, new Uint8Array(), true);
    this.#forgetIfOver();
  }

  /** Gives up both directions. */
  reset(status: number): void {
    if (this.#isSent && this.#end !== undefined) return;
    this.#writer.reset(this.id, status);
    this.fail(new SpdyError('The stream was given up'));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          this.#waitingBytes -= next.length;
          this.#wakeSession?.();
          yield next;
        } else if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wakeReader = resolve));
        }
      }
    } finally {
      this.#isLeft = true;
      this.#waiting.length = 0;
      this.#wakeSession?.();
    }
  }

  /** Takes what has come; resolves when there is room for more. */
  async deliver(payload: Uint8Array): Promise<void> {
    if (this.#isLeft || this.#end !== undefined || payload.length === 0) return;
    this.#waiting.push(payload);
    this.#waitingBytes += payload.length;
    this.#wakeReader?.();
    while (this.#waitingBytes > MAX_WAITING_BYTES && !this.#isLeft && this.#end === undefined) {
      await new Promise<void>((resolve) => (this.#wakeSession = resolve));
    }
  }

  /** The other side sends no more. */
  finish(): void {
    this.#end ??= {};
    this.#wakeReader?.();
    this.#forgetIfOver();
  }

  /** Neither side sends any more. */
  fail(error: Error): void {
    this.#end ??= { error };
    this.#isSent = true;
    this.#wakeReader?.();
    this.#wakeSession?.();
    this.#writer.forget(this.id);
  }

  #forgetIfOver(): void {
    if (this.#isSent && this.#end !== undefined) this.#writer.forget(this.id);
  }
}
