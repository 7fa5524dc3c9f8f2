import type { Buffer } from 'node:buffer';
import { windowFrame } from './control-frames.ts';
import type { FrameBudget } from './frame-budget.ts';
import type { FrameHead } from './frame-reader.ts';
import { CODE, ConnectionError, FLAG } from './protocol.ts';
import type { Sender } from './sender.ts';
import type { ServerStream } from './server-stream.ts';

/**
 * The window of all request bodies together. At most this much is read and decrypted from one connection in a turn of the
 * event loop, which limits how long many connections delay the others. Bodies that wait to be read do not count: received
 * bytes are confirmed at once.
 */
export const CONNECTION_WINDOW_BYTES = 256 * 1024;

/** Below this size, handling a piece of a body costs more than its bytes. */
const SMALL_PIECE_BYTES = 64;

/** Passes the content of DATA frames to their streams, and enforces the windows of the connection and of each stream. */
export class IncomingData {
  readonly #sender: Sender;
  readonly #budget: FrameBudget;
  /** The stream that receives the current frame. */
  #target: ServerStream | undefined;
  #content = 0;
  #window = CONNECTION_WINDOW_BYTES;
  #unconfirmed = 0;

  constructor(sender: Sender, budget: FrameBudget) {
    this.#sender = sender;
    this.#budget = budget;
  }

  /** A frame begins, for this stream or to be discarded. */
  begin({ length }: FrameHead, stream: ServerStream | undefined): void {
    this.#window -= length;
    if (this.#window < 0) throw new ConnectionError(CODE.flowControlError, 'More data than the window allows');
    this.#target = stream;
    this.#content = 0;
    if (stream === undefined) return;
    stream.receiveWindow -= length;
    if (stream.receiveWindow >= 0) return;
    stream.reset(CODE.flowControlError);
    this.#target = undefined;
  }

  take(content: Buffer): void {
    if (content.length >= SMALL_PIECE_BYTES) this.#budget.earn(1);
    else this.#budget.spend();
    this.#content += content.length;
    const stream = this.#target;
    if (stream !== undefined && !stream.destroyed) stream.receive(content);
  }

  end({ length, flags }: FrameHead): void {
    this.#confirm(length);
    const isEnd = (flags & FLAG.endStream) !== 0;
    if (this.#content === 0 && !isEnd) this.#budget.spend();
    const stream = this.#target;
    if (stream === undefined || stream.destroyed) return;
    stream.confirmPadding(length - this.#content);
    if (isEnd) stream.inputEnds();
  }

  #confirm(bytes: number): void {
    this.#unconfirmed += bytes;
    if (this.#unconfirmed < CONNECTION_WINDOW_BYTES / 2) return;
    this.#sender.control(windowFrame(0, this.#unconfirmed));
    this.#window += this.#unconfirmed;
    this.#unconfirmed = 0;
  }
}
