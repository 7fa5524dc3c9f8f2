import { Buffer } from 'node:buffer';
import { type FrameHead, tooMuchPadding } from './frame-reader.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { CODE, ConnectionError, FLAG, MAX_WINDOW_BYTES } from './protocol.ts';
import { type HeaderLimits, RequestHeaders } from './request-headers.ts';

const PRIORITY_BYTES = 5;

/** Complete headers: of a request, or its trailers. */
export interface ReadHeaders {
  readonly stream: number;
  readonly headers: RequestHeaders;
  readonly isEndOfStream: boolean;
}

/**
 * Assembles the headers of a connection from their frames. All are decompressed, even rejected ones: later headers depend on
 * the table.
 */
export class HeaderFrames {
  readonly #limits: HeaderLimits;
  readonly #decoder = new HpackDecoder();
  /** The block whose further frames are expected. */
  #block: HeaderBlock | undefined;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  /** The stream whose headers are incomplete: only the rest of them may follow. */
  get underWay(): number | undefined {
    return this.#block?.stream;
  }

  /** Reads a HEADERS frame; undefined when CONTINUATION frames follow. */
  begin({ stream, flags }: FrameHead, payload: Buffer): ReadHeaders | undefined {
    const isPadded = (flags & FLAG.padded) !== 0;
    const start = (isPadded ? 1 : 0) + ((flags & FLAG.priority) === 0 ? 0 : PRIORITY_BYTES);
    const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
    if (start > payload.length) throw new ConnectionError(CODE.frameSizeError, 'A frame of headers is too short');
    if (end < start) throw tooMuchPadding();
    const isEndOfStream = (flags & FLAG.endStream) !== 0;
    const fragment = payload.subarray(start, end);
    if ((flags & FLAG.endHeaders) !== 0) return { stream, headers: this.#unpacked(fragment), isEndOfStream };
    this.#block = new HeaderBlock(stream, { isEndOfStream, maxBytes: this.#limits.maxHeaderBytes });
    this.#block.add(fragment);
    return undefined;
  }

  /** Reads a CONTINUATION frame. Assumes: headers are incomplete. */
  continue({ stream, flags }: FrameHead, fragment: Buffer): ReadHeaders | undefined {
    const block = this.#block as HeaderBlock;
    block.add(fragment);
    if ((flags & FLAG.endHeaders) === 0) return undefined;
    this.#block = undefined;
    return { stream, headers: this.#unpacked(block.whole), isEndOfStream: block.isEndOfStream };
  }

  #unpacked(block: Buffer): RequestHeaders {
    const headers = new RequestHeaders(this.#limits);
    this.#decoder.decode(block, headers);
    return headers;
  }
}

/** The stream that the priority in a HEADERS frame depends on. */
export function dependencyIn({ flags }: FrameHead, payload: Buffer): number | undefined {
  if ((flags & FLAG.priority) === 0) return undefined;
  return payload.readUInt32BE((flags & FLAG.padded) === 0 ? 0 : 1) & MAX_WINDOW_BYTES;
}

/** The frames of a block need at least this many bytes on average, except for a few small ones (CVE-2024-27316). */
const MIN_FRAME_BYTES = 1024;
const SMALL_FRAMES = 8;

/** A compressed header block that arrives in more than one frame. */
class HeaderBlock {
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
