import { Buffer } from 'node:buffer';
import { CODE, ConnectionError } from './protocol.ts';

/** The frames of a block need at least this many bytes on average, except for a few small ones (CVE-2024-27316). */
const MIN_FRAME_BYTES = 1024;
const SMALL_FRAMES = 8;

/** A compressed header block that arrives in more than one frame. */
export class HeaderBlock {
  readonly stream: number;
  readonly isEndOfStream: boolean;
  readonly #maxBytes: number;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(stream: number, options: { readonly isEndOfStream: boolean; readonly maxBytes: number }) {
    this.stream = stream;
    this.isEndOfStream = options.isEndOfStream;
    this.#maxBytes = options.maxBytes;
  }

  /** Copies a part. Throws when the block is too large, or its parts are too small. */
  add(part: Buffer): void {
    this.#bytes += part.length;
    this.#parts.push(Buffer.from(part));
    if (this.#bytes > this.#maxBytes || (this.#parts.length - SMALL_FRAMES) * MIN_FRAME_BYTES > this.#bytes) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'The header block is too large');
    }
  }

  get whole(): Buffer {
    return Buffer.concat(this.#parts, this.#bytes);
  }
}
