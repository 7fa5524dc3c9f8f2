import type { Readable } from 'node:stream';

/** No more than this is held for a reader that is slow. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * The chunks of a stream, one after the other. It does what iterating over the stream does, for less: most answers are one chunk.
 *
 * Assumes: one reader, who asks again only when it has an answer.
 */
export class ArrivingChunks {
  readonly #stream: Readable;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isClosed = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('error', (error) => (this.#error = error));
    stream.once('close', () => {
      this.#isClosed = true;
      this.#wake?.();
    });
  }

  /** The next chunk; undefined when the stream has closed. Throws what the stream has failed with, after what came before. */
  async next(): Promise<Buffer | undefined> {
    if (this.#waiting.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    const chunk = this.#waiting.shift();
    if (chunk === undefined && this.#error !== undefined) throw this.#error;
    this.#waitingBytes -= chunk?.length ?? 0;
    if (this.#stream.isPaused() && this.#waitingBytes < MOST_WAITING_BYTES) this.#stream.resume();
    return chunk;
  }

  #take(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= MOST_WAITING_BYTES) this.#stream.pause();
    this.#wake?.();
  }
}
