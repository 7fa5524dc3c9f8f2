import type { Readable } from 'node:stream';
import { badRequest, StatusError } from '../../api/index.ts';
import { pagedRoom } from '../../base/index.ts';

const EMPTY = new Uint8Array(0);

export interface ReadBodyOptions {
  readonly limit: number;
  /** Whether the end of the stream is the end of the body: Node also ends a stream when its client resets it. */
  readonly isWhole: () => boolean;
}

/** Reads a request's whole body, and keeps at most `limit` bytes of it. */
export function readBody(input: Readable, { limit, isWhole }: ReadBodyOptions): Promise<Uint8Array> {
  if (input.destroyed) return Promise.reject(incomplete());
  return new Promise((resolve, reject) => {
    const gathered = new BodyBuffer(limit);
    const crumbs = new SmallChunkCounter(input);
    const settle = (finish: () => void): void => {
      input.off('data', onData).off('end', onEnd).off('close', onClose);
      finish();
    };
    const onData = (chunk: Uint8Array): void => {
      if (!gathered.add(chunk)) settle(() => reject(bodyTooLarge(limit)));
      else if (chunk.length < SMALL_CHUNK_BYTES) crumbs.add();
    };
    const onEnd = (): void => settle(() => (isWhole() ? resolve(gathered.bytes) : reject(incomplete())));
    const onClose = (): void => settle(() => reject(incomplete()));
    input.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** Reads and drops the rest of a body that the handler does not want, so that the client gets to read the answer. */
export function discardBody(input: Readable): void {
  const crumbs = new SmallChunkCounter(input);
  input.on('data', (chunk: Uint8Array) => {
    if (chunk.length < SMALL_CHUNK_BYTES) crumbs.add();
  });
}

/** Below this size, a chunk's overhead exceeds its bytes. */
const SMALL_CHUNK_BYTES = 64;
const MAX_SMALL_CHUNKS_PER_TURN = 1024;
const MAX_SMALL_CHUNKS = 16 * 1024;

/**
 * Counts chunks that are smaller than any client has a reason to send: after many in a row other requests get to run, and after too many
 * the connection is closed.
 */
class SmallChunkCounter {
  readonly #input: Readable;
  #inAll = 0;

  constructor(input: Readable) {
    this.#input = input;
  }

  add(): void {
    this.#inAll += 1;
    if (this.#inAll > MAX_SMALL_CHUNKS) this.#input.destroy();
    else if (this.#inAll % MAX_SMALL_CHUNKS_PER_TURN === 0) {
      this.#input.pause();
      setImmediate(() => this.#input.resume());
    }
  }
}

/** Minimum buffer for a body of more than one chunk. */
const MIN_BUFFER_BYTES = 4 * 1024;

/**
 * Collects a body. A single chunk is used as it is; several are copied into one buffer, which doubles when it is full, so that a body in
 * chunks of one byte costs no more than one in large chunks.
 */
export class BodyBuffer {
  readonly #limit: number;
  #buffer: Uint8Array = EMPTY;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The bytes received so far. */
  get bytes(): Uint8Array {
    return this.#buffer.length === this.#size ? this.#buffer : this.#buffer.subarray(0, this.#size);
  }

  /** The memory that it holds. */
  get room(): number {
    return this.#buffer.buffer.byteLength;
  }

  /** Returns false when the limit is exceeded; the chunk is then dropped. */
  add(chunk: Uint8Array): boolean {
    const size = this.#size + chunk.length;
    if (size > this.#limit) return false;
    if (this.#size === 0) this.#buffer = chunk;
    else this.#copy(chunk, size);
    this.#size = size;
    return true;
  }

  #copy(chunk: Uint8Array, size: number): void {
    if (size > this.#buffer.length) {
      const room = Math.min(Math.max(size, this.#buffer.length * 2, MIN_BUFFER_BYTES), Math.max(this.#limit, size));
      const larger = pagedRoom(room);
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#size);
  }
}

/** Streams a request's body. Stopping early leaves the rest unread; the stream stays open for the answer. */
export async function* streamBody(input: Readable, isWhole: () => boolean): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (cause) {
    throw incomplete({ cause });
  }
  if (!isWhole()) throw incomplete();
}

/** Upstream's message, which clients look for. */
export function bodyTooLarge(limit: number): StatusError {
  return new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${limit}`,
  });
}

/** The number in a `content-length` header; undefined when it is absent. */
export function declaredLength(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}

/** The error when the client aborts its body. */
export function incomplete(options?: ErrorOptions): StatusError {
  return badRequest('unexpected EOF', options);
}
