/** Bytes of the length before a message. */
const LENGTH_BYTES = 2;
/** What is kept of a message that has begun takes this much at first. */
const FIRST_ROOM = 512;

/** A message as it travels over TCP: two bytes of length before it (RFC 1035, section 4.2.2). */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(message.length + LENGTH_BYTES);
  frame.writeUInt16BE(message.length);
  frame.set(message, LENGTH_BYTES);
  return frame;
}

/**
 * Cuts the bytes of a TCP connection into messages.
 *
 * Guarantees: it keeps less than one message in a buffer of at most twice that size, whatever pieces the bytes arrive in.
 */
export class FrameReader {
  #kept = Buffer.alloc(0);
  #keptBytes = 0;

  /** Whether the bytes so far end within a message. */
  get isWithinMessage(): boolean {
    return this.#keptBytes > 0;
  }

  /** The messages that the chunk completes. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    let at = 0;
    while (this.#keptBytes > 0 && at < chunk.length) {
      const end = Math.min(chunk.length, at + this.#missing());
      this.#keep(chunk.subarray(at, end));
      at = end;
      if (this.#keptBytes < LENGTH_BYTES || this.#missing() > 0) continue;
      const message = this.#kept.subarray(LENGTH_BYTES, this.#keptBytes);
      this.#kept = Buffer.alloc(0);
      this.#keptBytes = 0;
      yield message;
    }
    while (chunk.length - at >= LENGTH_BYTES) {
      const end = at + LENGTH_BYTES + chunk.readUInt16BE(at);
      if (end > chunk.length) break;
      yield chunk.subarray(at + LENGTH_BYTES, end);
      at = end;
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at));
  }

  /** Bytes until the length is known, or until the message is whole. */
  #missing(): number {
    if (this.#keptBytes < LENGTH_BYTES) return LENGTH_BYTES - this.#keptBytes;
    return LENGTH_BYTES + this.#kept.readUInt16BE(0) - this.#keptBytes;
  }

  #keep(bytes: Buffer): void {
    const needed = this.#keptBytes + bytes.length;
    if (needed > this.#kept.length) {
      const room = Buffer.allocUnsafe(Math.max(FIRST_ROOM, needed, Math.min(2 * this.#kept.length, 0x1_0001)));
      this.#kept.copy(room, 0, 0, this.#keptBytes);
      this.#kept = room;
    }
    this.#kept.set(bytes, this.#keptBytes);
    this.#keptBytes = needed;
  }
}
