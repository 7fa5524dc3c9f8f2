import type { Clock, Turns } from '../../base/index.ts';
import type { Output } from './exchange.ts';

export interface BodyWriterOptions {
  readonly clock: Clock;
  /** Taken when the pieces of a body take long to make. */
  readonly turns: Turns;
  /** Above this, the source of the body has to wait. */
  readonly maxBufferedBytes: number;
  readonly stallTimeoutMs: number;
  /** Called with the bytes that wait for the client when the source has to wait for it, and with 0 when it goes on. */
  readonly onWait: (bytes: number) => void;
  /** Called when the client has read nothing for that long. */
  readonly onStall: () => void;
}

/** Larger pieces are cut, so that it can be seen whether the client reads at all. */
const LARGEST_WRITE_BYTES = 64 * 1024;

/** Pieces are made for so long at a stretch; then others have their turn. */
const MAX_SLICE_MS = 5;

/** As much is written before the client has read anything: one that never does costs no more. */
const FIRST_BYTES = 64 * 1024;

/**
 * Writes a body at the pace its client reads it.
 *
 * Guarantees: what waits in memory stays within `maxBufferedBytes` and one piece; a client that stops reading is
 * reported once, after `stallTimeoutMs`.
 */
export class BodyWriter {
  readonly #output: Output;
  readonly #options: BodyWriterOptions;
  #bytes = 0;
  #isClosed = false;
  #isEnded = false;
  #hasRead = false;
  #wake: (() => void) | undefined;
  /** While the end is written but not taken. */
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

  /** Nobody reads any more, or the end is written. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All that there was has been written. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isFull(): boolean {
    const { maxBufferedBytes } = this.#options;
    return this.#output.writableLength >= (this.#hasRead ? maxBufferedBytes : Math.min(FIRST_BYTES, maxBufferedBytes));
  }

  /** An output that is being destroyed says that it is closed later, and takes nothing until then. */
  get #isOpen(): boolean {
    return !this.#isClosed && !this.#output.destroyed;
  }

  /** Writes one piece, and waits only if too much waits already. */
  write(piece: Uint8Array): void | Promise<void> {
    if (piece.length > LARGEST_WRITE_BYTES) return this.#writeInParts(piece);
    this.#put(piece);
    if (this.isFull) return this.#room();
  }

  /** Writes many pieces, and takes as many at a time as there is room for. */
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

  /** Writes the end. Whether the client takes what still waits is watched until it has. */
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
    for (let start = 0; start < piece.length && this.#isOpen; start += LARGEST_WRITE_BYTES) {
      this.#put(piece.subarray(start, start + LARGEST_WRITE_BYTES));
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

  /** Resolves when all that waited has been taken, or nobody reads any more. */
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
