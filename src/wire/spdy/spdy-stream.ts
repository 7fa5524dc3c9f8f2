import { ByteInbox } from '../connections/index.ts';
import type { SpdyHeaders } from './header-block.ts';

/** What a stream needs of its session. */
export interface StreamWriter {
  data(stream: number, payload: Uint8Array, isLast: boolean): Promise<void>;
  reset(stream: number, status: number): void;
  /** Nothing more will happen to the stream. */
  forget(stream: number): void;
}

/** The other side gave up a stream, or the connection was lost. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

/** One of the streams of a connection. Iterating, once, gives what the other side sends, until it is done; leaving the loop lets the rest go. */
export class SpdyStream implements AsyncIterable<Uint8Array> {
  readonly id: number;
  /** Of the side that opened it. */
  readonly headers: SpdyHeaders;
  readonly #writer: StreamWriter;
  readonly #inbox = new ByteInbox();
  #isFinished = false;
  #isSent = false;

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
    this.#forgetIfOver();
    await this.#writer.data(this.id, new Uint8Array(), true);
  }

  /** Gives up both directions. */
  reset(status: number): void {
    if (this.#isSent && this.#isFinished) return;
    this.#writer.reset(this.id, status);
    this.fail(new SpdyError('The stream was given up'));
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    return this.#inbox[Symbol.asyncIterator]();
  }

  /** Takes what has come; resolves when there is room for more. */
  deliver(payload: Uint8Array): Promise<void> {
    return this.#inbox.deliver(payload);
  }

  /** The other side sends no more. */
  finish(): void {
    this.#isFinished = true;
    this.#inbox.finish();
    this.#forgetIfOver();
  }

  /** Neither side sends any more; without an error, who reads sees an end like any other. */
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
