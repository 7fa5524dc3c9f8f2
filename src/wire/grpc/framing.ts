import { GrpcError } from './grpc-error.ts';

/** One byte for the compression flag, four for the length. */
const PREFIX_LENGTH = 5;

/** A message with gRPC's prefix. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(PREFIX_LENGTH + message.byteLength);
  framed[0] = 0;
  framed.writeUInt32BE(message.byteLength, 1);
  framed.set(message, PREFIX_LENGTH);
  return framed;
}

/**
 * Reassembles messages from the pieces in which they arrive.
 *
 * Guarantees: each message has its own memory, so keeping one keeps nothing else alive; at most one message, of at most
 * `maxBytes`, is buffered.
 */
export class Deframer {
  readonly #maxBytes: number;
  #prefixBytes = 0;
  #isCompressed = false;
  #length = 0;
  #message: Buffer | undefined;
  #messageBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the last message is incomplete. */
  get isInside(): boolean {
    return this.#prefixBytes > 0;
  }

  /** Takes the next piece; calls `emit` for each message that it completes. */
  push(piece: Uint8Array, emit: (message: Uint8Array) => void): void {
    let at = 0;
    while (at < piece.byteLength) {
      if (this.#message === undefined) {
        at = this.#takePrefix(piece, at);
        if (this.#prefixBytes < PREFIX_LENGTH) return;
        this.#begin();
      }
      at = this.#takeMessage(piece, at);
      if (this.#messageBytes < (this.#message as Buffer).byteLength) return;
      const message = this.#message as Buffer;
      this.#message = undefined;
      this.#prefixBytes = 0;
      emit(message);
    }
  }

  #takePrefix(piece: Uint8Array, from: number): number {
    let at = from;
    while (this.#prefixBytes < PREFIX_LENGTH && at < piece.byteLength) {
      const byte = piece[at++] as number;
      if (this.#prefixBytes++ === 0) this.#isCompressed = byte !== 0;
      else this.#length = this.#length * 256 + byte;
    }
    return at;
  }

  #begin(): void {
    if (this.#isCompressed) {
      throw new GrpcError('INTERNAL', 'Cannot read a message: it is compressed, which was not asked for');
    }
    const length = this.#length;
    this.#length = 0;
    if (length > this.#maxBytes) {
      throw new GrpcError(
        'RESOURCE_EXHAUSTED',
        `Cannot read a message: ${length} bytes are larger than max ${this.#maxBytes}`, // Go's message, which callers look for
      );
    }
    this.#message = Buffer.allocUnsafeSlow(length);
    this.#messageBytes = 0;
  }

  #takeMessage(piece: Uint8Array, from: number): number {
    const message = this.#message as Buffer;
    const take = Math.min(message.byteLength - this.#messageBytes, piece.byteLength - from);
    message.set(piece.subarray(from, from + take), this.#messageBytes);
    this.#messageBytes += take;
    return from + take;
  }
}
