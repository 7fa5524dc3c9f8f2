import type { AnswerHeaders } from './hpack-encoder.ts';
import { CODE } from './protocol.ts';
import { isHeaderName, type RequestHeaders } from './request-headers.ts';
import { StreamInput } from './stream-input.ts';

/** The head of an answer. */
export interface AnswerHead {
  readonly code: number;
  readonly headers: AnswerHeaders;
}

/** What a stream needs from its connection. */
export interface StreamOwner {
  /** There is something of the stream to send, or it is closed. */
  ready(stream: ServerStream): void;
  /** Sends an answer that says that another follows. */
  inform(stream: ServerStream, code: number): void;
  /** Tells the client that the stream is over. */
  resetStream(stream: ServerStream, code: number): void;
  /** The client may send so much more on the stream. */
  openWindow(stream: ServerStream, bytes: number): void;
  /** The answer is sent, and the client still sends what nobody reads. */
  linger(stream: ServerStream): Disposable;
}

/** A writer is asked to wait for `drain` above this. */
const HIGH_WATER_BYTES = 16 * 1024;

/** A list that grows from nothing has room for many; most answers are one chunk. */
const NO_CHUNKS: Uint8Array[] = [];

/** What the client may send before it is confirmed. */
export const STREAM_WINDOW_BYTES = 256 * 1024;

/** One request and its answer. What is written goes out at the end of the turn, with all else that the connection has. */
export class ServerStream {
  readonly id: number;
  readonly headers: RequestHeaders;
  readonly #owner: StreamOwner;
  readonly #input: StreamInput;
  #isReset = false;
  #isClosed = false;
  #onDrain: (() => void) | undefined;
  #onClose: (() => void)[] | undefined;
  #isDiscarding = false;
  #lingering: Disposable | undefined;
  #received = 0;
  /** Taken by the reader, and not confirmed to the client. */
  #unconfirmed = 0;

  // What the connection's sender works with.

  /** The head, until it is sent. */
  head: AnswerHead | undefined;
  /** What is written and not sent: from `offset` of the next chunk on. */
  chunks: Uint8Array[] = NO_CHUNKS;
  nextChunk = 0;
  offset = 0;
  queuedBytes = 0;
  /** The end is written. */
  isEnding = false;
  /** The end has gone out. */
  isEndSent = false;
  /** The sender has it on its list. */
  isListed = false;
  sendWindow: number;
  receiveWindow = STREAM_WINDOW_BYTES;
  #needsDrain = false;

  constructor(
    id: number,
    request: { headers: RequestHeaders; isWhole: boolean; sendWindow: number },
    owner: StreamOwner,
  ) {
    this.id = id;
    this.headers = request.headers;
    this.sendWindow = request.sendWindow;
    this.#owner = owner;
    this.#input = new StreamInput(request.isWhole, this.#confirm);
  }

  /** Nothing more can be sent: it was reset, or all is sent and has come. */
  get destroyed(): boolean {
    return this.#isReset || this.#isClosed;
  }

  /** The whole answer has gone out. */
  get isFlushed(): boolean {
    return this.isEndSent;
  }

  /** All that the client had to say has come. */
  get isInputOver(): boolean {
    return this.#input.isOver;
  }

  /** Bytes that wait for the client. */
  get writableLength(): number {
    return this.queuedBytes;
  }

  inform(code: number): void {
    if (!this.destroyed) this.#owner.inform(this, code);
  }

  respond(head: AnswerHead): void {
    if (this.destroyed) return;
    checkHead(head);
    this.head = head;
    this.#owner.ready(this);
  }

  /** False when too much waits; `drain` follows. */
  write(chunk: Uint8Array): boolean {
    if (this.destroyed || this.isEnding || chunk.length === 0) return !this.#needsDrain;
    if (this.chunks === NO_CHUNKS) this.chunks = [chunk];
    else this.chunks.push(chunk);
    this.queuedBytes += chunk.length;
    if (this.queuedBytes >= HIGH_WATER_BYTES) this.#needsDrain = true;
    this.#owner.ready(this);
    return !this.#needsDrain;
  }

  end(): void {
    if (this.destroyed || this.isEnding) return;
    this.isEnding = true;
    this.#owner.ready(this);
  }

  /** All that is written goes out together at the end of the turn anyway. */
  cork(): void {}

  uncork(): void {}

  /** Ends the stream at once; what is not sent is dropped. */
  reset(code: number): void {
    if (this.destroyed) return;
    this.#owner.resetStream(this, code);
    this.markReset();
  }

  on(event: 'drain' | 'close', listener: () => void): void {
    if (event === 'drain') this.#onDrain = listener;
    else if (this.#onClose === undefined) this.#onClose = [listener];
    else this.#onClose.push(listener);
  }

  /** The input, for who reads it. */
  get input(): Pick<StreamInput, 'readTo' | 'chunks'> {
    return this.#input;
  }

  /**
   * Lets the client finish sending what nobody will read, for a while after the answer; then tells it to stop (RFC 9113, 8.1).
   * With `when: 'answered'` the body may be read until the answer has gone out.
   */
  discardInput(when: 'now' | 'answered' = 'now'): void {
    if (this.#input.isOver) return;
    this.#isDiscarding = true;
    if (when === 'now') this.#input.discard();
    if (this.isEndSent) this.#linger();
  }

  // What the connection tells its streams.

  /** Some of the body has come. */
  receive(content: Uint8Array): void {
    this.#received += content.length;
    const { contentLength } = this.headers;
    if (contentLength !== undefined && this.#received > contentLength) this.reset(CODE.protocolError);
    else this.#input.push(content);
  }

  /** The client has sent all. */
  inputEnds(): void {
    const { contentLength } = this.headers;
    if (contentLength !== undefined && this.#received !== contentLength) {
      this.reset(CODE.protocolError);
      return;
    }
    this.#input.end(true);
    if (this.isEndSent) this.#owner.ready(this);
  }

  /** Bytes of a frame that are not content: the reader never sees them. */
  confirmPadding(bytes: number): void {
    if (bytes > 0) this.#confirm(bytes);
  }

  /** For the sender: nothing of what is written is left. */
  allSent(): void {
    this.chunks = NO_CHUNKS;
    this.nextChunk = 0;
  }

  /** All that was written has been sent. */
  sent(): void {
    if (this.isEndSent && this.#isDiscarding && !this.#input.isOver) this.#linger();
    if (!this.#needsDrain) return;
    this.#needsDrain = false;
    this.#onDrain?.();
  }

  /** Both sides have said all. */
  get isComplete(): boolean {
    return this.isEndSent && this.#input.isOver;
  }

  /** Nothing more is sent or taken; `close` follows. */
  markReset(): void {
    if (this.destroyed) return;
    this.#isReset = true;
    this.head = undefined;
    this.allSent();
    this.queuedBytes = 0;
    this.#owner.ready(this);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lingering?.[Symbol.dispose]();
    this.#input.end(false);
    if (this.#onClose !== undefined) for (const listener of this.#onClose) listener();
  }

  #linger(): void {
    this.#input.discard();
    this.#lingering ??= this.#owner.linger(this);
  }

  readonly #confirm = (bytes: number): void => {
    this.#unconfirmed += bytes;
    if (this.#unconfirmed < STREAM_WINDOW_BYTES / 2 || this.destroyed || this.#input.isOver) return;
    this.receiveWindow += this.#unconfirmed;
    this.#owner.openWindow(this, this.#unconfirmed);
    this.#unconfirmed = 0;
  };
}

/** Here, where whoever answers can still be told, and not when the head is packed. */
function checkHead({ headers }: AnswerHead): void {
  for (const name in headers) {
    const value: unknown = headers[name];
    const isValue = typeof value === 'string' || typeof value === 'number' || value === undefined || isTexts(value);
    if (!isHeaderName(name) || !isValue) throw new Error(`Cannot send header "${name}": ${String(value)}`);
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
