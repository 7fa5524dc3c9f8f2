import type { AnswerHeaders } from './hpack-encoder.ts';
import { CODE } from './protocol.ts';
import { isHeaderName, type RequestHeaders } from './request-headers.ts';
import { StreamInput } from './stream-input.ts';

/** The head of a response. */
export interface AnswerHead {
  readonly code: number;
  readonly headers: AnswerHeaders;
}

/** What a stream needs from its connection. */
export interface StreamOwner {
  /** The stream has something to send, or was closed. */
  ready(stream: ServerStream): void;
  /** Sends an informational response. */
  inform(stream: ServerStream, code: number): void;
  /** Sends RST_STREAM. */
  resetStream(stream: ServerStream, code: number): void;
  /** Lets the client send this many more bytes on the stream. */
  openWindow(stream: ServerStream, bytes: number): void;
  /** The response is sent, and the client still sends a body that is discarded. */
  linger(stream: ServerStream): Disposable;
}

/** Above this, writers are asked to wait for `drain`. */
const HIGH_WATER_BYTES = 16 * 1024;

/** Shared, because a growing list reserves room for many chunks and most responses are one chunk. */
const NO_CHUNKS: Uint8Array[] = [];

/** How much the client may send before it is confirmed. */
export const STREAM_WINDOW_BYTES = 256 * 1024;

/** One request and its response. Writes are sent at the end of the turn, with everything else on the connection. */
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
  /** Bytes that were read and not yet confirmed to the client. */
  #unconfirmed = 0;

  // Used by the connection's sender.

  /** The head, until it is sent. */
  head: AnswerHead | undefined;
  /** Written and unsent chunks: from `offset` of the first one on. */
  chunks: Uint8Array[] = NO_CHUNKS;
  nextChunk = 0;
  offset = 0;
  queuedBytes = 0;
  /** The end was written. */
  isEnding = false;
  /** The end was sent. */
  isEndSent = false;
  /** The stream is on the sender's list. */
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

  /** Nothing more can be sent: the stream was reset, or both sides have ended. */
  get destroyed(): boolean {
    return this.#isReset || this.#isClosed;
  }

  /** The whole response was sent. */
  get isFlushed(): boolean {
    return this.isEndSent;
  }

  /** The whole request has arrived. */
  get isInputOver(): boolean {
    return this.#input.isOver;
  }

  /** Bytes that wait to be sent. */
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

  /** Does nothing: all writes of a turn are sent together anyway. */
  cork(): void {}

  uncork(): void {}

  /** Ends the stream at once; unsent data is dropped. */
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

  /** The input, for its reader. */
  get input(): Pick<StreamInput, 'readTo' | 'chunks'> {
    return this.#input;
  }

  /**
   * Discards the rest of the request for a while after the response; then resets the stream (RFC 9113, 8.1). With `when:
   * 'answered'` the body may be read until the response is sent.
   */
  discardInput(when: 'now' | 'answered' = 'now'): void {
    if (this.#input.isOver) return;
    this.#isDiscarding = true;
    if (when === 'now') this.#input.discard();
    if (this.isEndSent) this.#linger();
  }

  // Called by the connection.

  /** A part of the body has arrived. */
  receive(content: Uint8Array): void {
    this.#received += content.length;
    const { contentLength } = this.headers;
    if (contentLength !== undefined && this.#received > contentLength) this.reset(CODE.protocolError);
    else this.#input.push(content);
  }

  /** The client has ended its side. */
  inputEnds(): void {
    const { contentLength } = this.headers;
    if (contentLength !== undefined && this.#received !== contentLength) {
      this.reset(CODE.protocolError);
      return;
    }
    this.#input.end(true);
    if (this.isEndSent) this.#owner.ready(this);
  }

  /** Confirms bytes of a frame that are not content: the reader never sees them. */
  confirmPadding(bytes: number): void {
    if (bytes > 0) this.#confirm(bytes);
  }

  /** For the sender: all written data was sent. */
  allSent(): void {
    this.chunks = NO_CHUNKS;
    this.nextChunk = 0;
  }

  /** Everything written has been sent. */
  sent(): void {
    if (this.isEndSent && this.#isDiscarding && !this.#input.isOver) this.#linger();
    if (!this.#needsDrain) return;
    this.#needsDrain = false;
    this.#onDrain?.();
  }

  /** Both sides have ended. */
  get isComplete(): boolean {
    return this.isEndSent && this.#input.isOver;
  }

  /** Marks the stream as reset; `close` follows. */
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

/** Checked here, where the error still reaches the caller, and not when the head is encoded. */
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
