import { leave, polled } from '../../base/index.ts';
import { BodyWriter, type BodyWriterOptions } from './body-writer.ts';
import type { Output } from './exchange.ts';

/** The body of an answer that is sent piece by piece. */
export class StreamedBody {
  readonly #writer: BodyWriter;
  #source: AsyncIterator<Uint8Array> | undefined;

  constructor(output: Output, options: BodyWriterOptions) {
    this.#writer = new BodyWriter(output, options);
  }

  get bytes(): number {
    return this.#writer.bytes;
  }

  /** Whether everything has been written. */
  get isEnded(): boolean {
    return this.#writer.isEnded;
  }

  async sendPieces(pieces: Iterable<Uint8Array>): Promise<void> {
    await this.#writer.writeAll(pieces);
    this.#writer.end();
  }

  /**
   * Sends pieces as they arrive, until the source ends or throws, or the client leaves. When the client leaves, the source is closed, and
   * its last error is ignored.
   */
  sendFrom(source: AsyncIterable<Uint8Array>): Promise<void> {
    const writer = this.#writer;
    const iterator = polled(source);
    this.#source = iterator;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        this.leave();
        if (writer.isClosed) resolve();
        else reject(error);
      };
      const send = (): void => {
        try {
          while (!writer.isClosed) {
            const step = iterator.poll(send);
            if (step === undefined) return;
            if (step.done === true) break;
            const wait = writer.write(step.value);
            if (wait === undefined) continue;
            wait.then(send, fail);
            return;
          }
          writer.end();
          this.leave();
          resolve();
        } catch (error) {
          fail(error);
        }
      };
      send();
    });
  }

  /** Writes the end now, even if the source has more. */
  end(): void {
    this.#writer.end();
    this.leave();
  }

  /** Closes the source, even while waiting for it. */
  leave(): void {
    const source = this.#source;
    this.#source = undefined;
    leave(source);
  }
}
