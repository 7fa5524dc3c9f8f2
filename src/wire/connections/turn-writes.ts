import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { LeanSocket } from './lean-socket.ts';

/** Bytes that may be unsent before writers have to wait: as much as is being sent, and as much again that is collected meanwhile. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** The largest write: eight full TLS records. */
const SLAB_BYTES = 128 * 1024;
/** Fewer collected bytes get memory of about their size: connections that are used by hand keep no slab. */
const SMALL_BYTES = 16 * 1024;
/** One is being sent while the other is filled. */
const KEPT_SLABS = 2;

/**
 * Writes to a connection, such that everything written in one turn of the event loop leaves in few system calls, and in full TLS records.
 *
 * Guarantees: the bytes are copied before `write` returns, into memory that is reused. Nothing else may write to the connection.
 */
export class TurnWrites {
  readonly #output: Writable;
  /** Whether the output has finished with a write's memory when the write completes: TLS encrypts it, other streams may pass it on. */
  readonly #isReusable: boolean;
  readonly #free: Buffer[] = [];
  /** Full slabs, which follow the one that is being sent. */
  readonly #full: Buffer[] = [];
  #slab: Buffer | undefined;
  #length = 0;
  #sendingBytes = 0;
  #isScheduled = false;
  /** What all writers wait for while too much is unsent. */
  #room: Promise<void> | undefined;
  #giveRoom = (): void => undefined;

  constructor(output: Writable) {
    this.#output = output;
    this.#isReusable = output instanceof TLSSocket || output instanceof LeanSocket;
    output.once('close', () => this.#giveRoom());
  }

  get unsentBytes(): number {
    return this.#sendingBytes + this.#full.length * SLAB_BYTES + this.#length;
  }

  /** Undefined when more may be written at once; else resolves when it may, or when the connection has ended. */
  write(...pieces: readonly Uint8Array[]): Promise<void> | undefined {
    if (!this.#output.writable) return undefined;
    for (const piece of pieces) this.#copy(piece);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#turnEnds);
    }
    return this.unsentBytes < MAX_UNSENT_BYTES ? undefined : (this.#room ??= this.#untilRoom());
  }

  /** Sends what was written, then ends the connection. */
  end(last: Uint8Array = NOTHING): void {
    const output = this.#output;
    if (!output.writable) return;
    for (const slab of this.#full.splice(0)) output.write(slab);
    if (this.#slab !== undefined && this.#length > 0) output.write(this.#slab.subarray(0, this.#length));
    this.#slab = undefined;
    this.#length = 0;
    output.end(last);
  }

  readonly #turnEnds = (): void => {
    this.#isScheduled = false;
    if (this.unsentBytes < SMALL_BYTES) this.#free.length = 0; // the stream is no longer large
    this.#sendNext();
  };

  #sendNext(): void {
    if (this.#sendingBytes > 0 || !this.#output.writable) return;
    const slab = this.#full.shift();
    if (slab !== undefined) return this.#send(slab, SLAB_BYTES);
    const rest = this.#slab;
    const length = this.#length;
    if (rest === undefined || length === 0 || this.#isScheduled) return;
    this.#slab = undefined;
    this.#length = 0;
    this.#send(rest, length);
  }

  #send(slab: Buffer, length: number): void {
    this.#sendingBytes = length;
    this.#output.write(slab.subarray(0, length), () => {
      this.#sendingBytes = 0;
      if (this.#isReusable && slab.length === SLAB_BYTES && this.#free.length < KEPT_SLABS) this.#free.push(slab);
      this.#sendNext();
      if (this.unsentBytes < MAX_UNSENT_BYTES) this.#giveRoom();
    });
  }

  #untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#giveRoom = () => {
        this.#room = undefined;
        resolve();
      };
    });
  }

  #copy(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      const slab = this.#slabFor(piece.length - at);
      const part = piece.subarray(at, at + slab.length - this.#length);
      slab.set(part, this.#length);
      this.#length += part.length;
      at += part.length;
      if (this.#length < SLAB_BYTES) continue;
      this.#full.push(slab);
      this.#slab = undefined;
      this.#length = 0;
      this.#sendNext();
    }
  }

  /** Memory that begins with what is collected, with room for the bytes, or for a part of them that fills it. */
  #slabFor(bytes: number): Buffer {
    const slab = this.#slab;
    const length = this.#length + bytes;
    if (slab !== undefined && (slab.length === SLAB_BYTES || length <= slab.length)) return slab;
    const larger =
      this.#free.pop() ?? (length < SMALL_BYTES ? Buffer.allocUnsafe(2 * length) : Buffer.allocUnsafeSlow(SLAB_BYTES));
    if (slab !== undefined) larger.set(slab.subarray(0, this.#length));
    this.#slab = larger;
    return larger;
  }
}

const NOTHING = new Uint8Array();
