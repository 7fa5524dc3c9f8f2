import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { FRAME_HEAD_BYTES } from './protocol.ts';

const SLAB_BYTES = 64 * 1024;

/** A message that is expected to be larger is assembled in separate memory, which is reused. */
const LARGE_FROM_BYTES = 16 * 1024;
const LARGE_BYTES = 192 * 1024;
const KEPT_LARGE = 32;

export interface WriteBufferOptions {
  /**
   * Whether a socket has finished with a message when its write completes, so that the memory can be reused. True for TLS,
   * which encrypts the bytes; not for pipes that pass on the same memory.
   */
  readonly isReused?: boolean;
}

/** Copying a text up to this length byte by byte is faster than a call into Node. */
const SHORT_TEXT = 16;

/**
 * Assembles the frames of one write, one message after the other in a large buffer.
 *
 * A message is written between `begin` and `take`; there is one at a time, so all connections share a buffer.
 */
export class WriteBuffer {
  #slab: Buffer = Buffer.alloc(0);
  #start = 0;
  #at = 0;
  /** Where small messages continue after a large one. */
  #small: { readonly slab: Buffer; readonly at: number } | undefined;
  readonly #isReused: boolean;
  readonly #free: Buffer[] = [];
  /** When the connections assemble their messages. */
  readonly turnEnd = new TurnEnd();

  constructor({ isReused = false }: WriteBufferOptions = {}) {
    this.#isReused = isReused;
  }

  /** Begins a message of about `expected` bytes. */
  begin(expected: number): void {
    if (this.#isReused && expected > LARGE_FROM_BYTES && expected <= LARGE_BYTES) {
      this.#small = { slab: this.#slab, at: this.#at };
      this.#slab = this.#free.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES);
      this.#at = 0;
    }
    this.#start = this.#at;
    this.#reserve(expected);
  }

  /** Bytes in the current message. */
  get length(): number {
    return this.#at - this.#start;
  }

  /** Ends and returns the message; its memory is not reused. */
  take(): Buffer {
    const taken = this.#slab.subarray(this.#start, this.#at);
    this.#start = this.#at;
    if (this.#small !== undefined) this.#goOnSmall(this.#small);
    return taken;
  }

  /** Ends the message and writes it, if there is one. False when the socket is full. */
  sendTo(socket: Pick<Duplex, 'write'>): boolean {
    const slab = this.#slab;
    const isLarge = this.#small !== undefined && slab.length === LARGE_BYTES;
    const bytes = this.take();
    if (!isLarge) return bytes.length === 0 || socket.write(bytes);
    if (bytes.length > 0) return socket.write(bytes, () => this.#keep(slab));
    this.#keep(slab);
    return true;
  }

  #goOnSmall({ slab, at }: { readonly slab: Buffer; readonly at: number }): void {
    this.#small = undefined;
    this.#slab = slab;
    this.#start = at;
    this.#at = at;
  }

  #keep(slab: Buffer): void {
    if (this.#free.length < KEPT_LARGE) this.#free.push(slab);
  }

  byte(value: number): void {
    if (this.#at === this.#slab.length) this.#reserve(1);
    this.#slab[this.#at++] = value;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#slab.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Each character as one byte. */
  text(text: string): void {
    const { length } = text;
    this.#reserve(length);
    if (length > SHORT_TEXT) {
      this.#at += this.#slab.write(text, this.#at, 'latin1');
      return;
    }
    const slab = this.#slab;
    let at = this.#at;
    for (let index = 0; index < length; index++) slab[at++] = text.charCodeAt(index);
    this.#at = at;
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#at = this.#slab.writeUInt32BE(value, this.#at);
  }

  /** A frame's header; `typeAndFlags` has the flags in its low byte and the type above. */
  frameHead(length: number, typeAndFlags: number, stream: number): void {
    this.#reserve(FRAME_HEAD_BYTES);
    const slab = this.#slab;
    const at = this.#at;
    slab[at] = length >> 16;
    slab[at + 1] = length >> 8;
    slab[at + 2] = length;
    slab[at + 3] = typeAndFlags >> 8;
    slab[at + 4] = typeAndFlags;
    slab[at + 5] = stream >>> 24;
    slab[at + 6] = stream >> 16;
    slab[at + 7] = stream >> 8;
    slab[at + 8] = stream;
    this.#at = at + FRAME_HEAD_BYTES;
  }

  /** Writes the length into the header of a frame that began at `offset` of the message and ends here. */
  closeFrame(offset: number): void {
    const at = this.#start + offset;
    const length = this.#at - at - FRAME_HEAD_BYTES;
    this.#slab[at] = length >> 16;
    this.#slab[at + 1] = length >> 8;
    this.#slab[at + 2] = length;
  }

  /** Removes and returns the message from `offset` on. */
  cutFrom(offset: number): Buffer {
    const cut = Buffer.from(this.#slab.subarray(this.#start + offset, this.#at));
    this.#at = this.#start + offset;
    return cut;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#slab.length) return;
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, (length + bytes) * (length === 0 ? 1 : 2)));
    this.#slab.copy(larger, 0, this.#start, this.#at);
    this.#slab = larger;
    this.#start = 0;
    this.#at = length;
  }
}

/** Calls functions at the end of the current turn of the event loop, after all microtasks; one callback for all connections. */
class TurnEnd {
  #waiting: (() => void)[] = [];

  add(act: () => void): void {
    if (this.#waiting.push(act) === 1) process.nextTick(this.#run);
  }

  readonly #run = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const act of waiting) act();
  };
}
