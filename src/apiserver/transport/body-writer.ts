import type { Clock, Turns } from '../../base/index.ts';
import type { Output } from './exchange.ts';

export interface BodyWriterOptions {
  readonly clock: Clock;
  /** Lets other requests run when the pieces of a body are slow to make. */
  readonly turns: Turns;
  /** Above this, the source of the body waits. */
  readonly maxBufferedBytes: number;
  readonly stallTimeoutMs: number;
  /** Called with the number of unread bytes when the source begins to wait for the client, and with 0 when it continues. */
  readonly onWait: (bytes: number) => void;
  /** Called when the client has read nothing for `stallTimeoutMs`. */
  readonly onStall: () => void;
}

/** Larger pieces are split, so that progress of a slow client can be seen. */
const MAX_WRITE_BYTES = 64 * 1024;

/** Maximum time to make pieces before other requests get to run. */
const MAX_SLICE_MS = 5;

/** How much is written before the client has read anything: a client that never reads costs no more. */
const FIRST_BYTES = 64 * 1024;

/**
 * Writes a body as fast as its client reads it.
 *
 * Guarantees: at most `maxBufferedBytes` and one piece are in memory; a client that stops reading is reported once, after `stallTimeoutMs`.
 */
export class BodyWriter {
  readonly #output: Output;
  readonly #options: BodyWriterOptions;
  #bytes = 0;
  #isClosed = false;
  #isEnded = false;
  #hasRead = false;
  #wake: (() => void) | undefined;
  /** Runs while the end is written but not read. */
  #stallWatch: Disposable | undefined;

  constructor(output: Output, options: BodyWriterOptions) {
    this.#output = output;
    this.#options = options;
    output.on('drain', () => {
      this.#hasRead = true;
      this.#wake?.();
    });
    output.on('close', () => this.#close());
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the client left, or the end is written. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether everything has been written. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isFull(): boolean {
    const { maxBufferedBytes } = this.#options;
    return this.#output.writableLength >= (this.#hasRead ? maxBufferedBytes : Math.min(FIRST_BYTES, maxBufferedBytes));
  }

  /** An output that is being destroyed emits close later, and accepts nothing until then. */
  get #isOpen(): boolean {
    return !this.#isClosed && !this.#output.destroyed;
  }

  /** Writes one piece, and waits only if too much is buffered already. */
  write(piece: Uint8Array): void | Promise<void> {
    if (piece.length > MAX_WRITE_BYTES) return this.#writeInParts(piece);
    this.#put(piece);
    if (this.isFull) return this.#room();
  }

  /** Writes many pieces, and makes only as many at a time as there is room for. */
  async writeAll(pieces: Iterable<Uint8Array>): Promise<void> {
    const parts = inParts(pieces, this.#options.maxBufferedBytes);
    const { clock, turns } = this.#options;
    let end = clock.monotonic() + MAX_SLICE_MS;
    for (let part = parts.next(); part.done !== true && this.#isOpen;) {
      let isLate = false;
      this.#output.cork();
      for (; part.done !== true && !this.isFull && !isLate; part = parts.next()) {
        this.#put(part.value);
        isLate = clock.monotonic() > end;
      }
      this.#output.uncork();
      if (part.done === true) return;
      await (this.isFull ? this.#room() : turns.take(true));
      end = clock.monotonic() + MAX_SLICE_MS;
    }
  }

  /** Writes the end. A client that does not read the remaining bytes is still reported. */
  end(): void {
    if (this.#isClosed) return;
    this.#isEnded = true;
    this.#close();
    this.#output.end();
    if (this.#output.writableLength === 0) return;
    this.#options.onWait(this.#output.writableLength);
    this.#stallWatch = this.#watchForStall();
  }

  async #writeInParts(piece: Uint8Array): Promise<void> {
    for (let start = 0; start < piece.length && this.#isOpen; start += MAX_WRITE_BYTES) {
      this.#put(piece.subarray(start, start + MAX_WRITE_BYTES));
      if (this.isFull) await this.#room();
    }
  }

  #put(piece: Uint8Array): void {
    if (!this.#isOpen || piece.length === 0) return;
    this.#bytes += piece.length;
    this.#output.write(piece);
  }

  #close(): void {
    this.#isClosed = true;
    this.#stallWatch?.[Symbol.dispose]();
    this.#wake?.();
  }

  /** Resolves when the buffer is empty, or the client left. */
  async #room(): Promise<void> {
    if (!this.#isOpen) return;
    this.#options.onWait(this.#output.writableLength);
    const stallWatch = this.#watchForStall();
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    stallWatch[Symbol.dispose]();
    this.#options.onWait(0);
  }

  #watchForStall(): Disposable {
    const { clock, stallTimeoutMs, onStall } = this.#options;
    const output = this.#output;
    let waiting = output.writableLength;
    let timer = clock.timer(stallTimeoutMs, check);
    function check(): void {
      if (output.writableLength >= waiting) {
        onStall();
        return;
      }
      waiting = output.writableLength;
      timer = clock.timer(stallTimeoutMs, check);
    }
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }
}

function* inParts(pieces: Iterable<Uint8Array>, largest: number): Generator<Uint8Array> {
  for (const piece of pieces) {
    if (piece.length <= largest) yield piece;
    else for (let start = 0; start < piece.length; start += largest) yield piece.subarray(start, start + largest);
  }
}
