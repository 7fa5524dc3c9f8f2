import { Buffer } from 'node:buffer';
import { CODE, ConnectionError } from './protocol.ts';

/** A block in many frames has to have at least so many bytes in each, but for a few of them (CVE-2024-27316). */
const LEAST_FRAME_BYTES = 1024;
const SMALL_FRAMES = 8;

/** A block of packed headers that comes in more than one frame. */
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

  /** Keeps a copy of what has come. Throws when the block is too large, or made of crumbs. */
  add(part: Buffer): void {
    this.#bytes += part.length;
    this.#parts.push(Buffer.from(part));
    if (this.#bytes > this.#maxBytes || (this.#parts.length - SMALL_FRAMES) * LEAST_FRAME_BYTES > this.#bytes) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'Headers without end');
    }
  }

  get whole(): Buffer {
    return Buffer.concat(this.#parts, this.#bytes);
  }
}
