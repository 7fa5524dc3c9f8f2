import { ByteInbox, type ByteSource, type Sink } from '../connections/index.ts';
import type { SpdyHeaders } from './header-block.ts';

/** What a stream needs from its session. */
export interface StreamWriter {
  data(stream: number, payload: Uint8Array, isLast: boolean): Promise<void>;
  reset(stream: number, status: number): void;
  /** The stream is over and can be removed. */
  forget(stream: number): void;
}

/** The other side reset a stream, or the connection was lost. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

/**
 * One stream of a connection. Iterating, once, yields the bytes of the other side until its end; leaving the loop drops the
 * rest.
 */
export class SpdyStream implements ByteSource {
  readonly id: number;
  /** The headers of the side that opened it. */
  readonly headers: SpdyHeaders;
  readonly #writer: StreamWriter;
  readonly #inbox = new ByteInbox({ isMemoryReused: true });
  #isFinished = false;
  #isSent = false;

  constructor(id: number, headers: SpdyHeaders, writer: StreamWriter) {
    this.id = id;
    this.headers = headers;
    this.#writer = writer;
  }

  /** Resolves when more may be sent. Bytes written after the end are dropped. */
  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#isSent && bytes.length > 0) await this.#writer.data(this.id, bytes, false);
  }

  /** Ends this side's direction. */
  async end(): Promise<void> {
    if (this.#isSent) return;
    this.#isSent = true;
    this.#forgetIfOver();
    await this.#writer.data(this.id, new Uint8Array(), true);
  }

  /** Ends both directions. */
  reset(status: number): void {
    if (this.#isSent && this.#isFinished) return;
    this.#writer.reset(this.id, status);
    this.fail(new SpdyError('The stream was given up'));
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    return this.#inbox[Symbol.asyncIterator]();
  }

  drainTo(sink: Sink): Promise<void> {
    return this.#inbox.drainTo(sink);
  }

  /** Queues received bytes; resolves when there is room for more, undefined at once. */
  deliver(payload: Uint8Array): Promise<void> | undefined {
    return this.#inbox.offer(payload);
  }

  /** The other side has ended its direction. */
  finish(): void {
    this.#isFinished = true;
    this.#inbox.finish();
    this.#forgetIfOver();
  }

  /** Ends both directions; without an error, the reader sees an ordinary end. */
  fail(error: Error | undefined): void {
    this.#isFinished = true;
    this.#isSent = true;
    this.#inbox.finish(error);
    this.#writer.forget(this.id);
  }

  #forgetIfOver(): void {
    if (this.#isSent && this.#isFinished) this.#writer.forget(this.id);
  }
}
