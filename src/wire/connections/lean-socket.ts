import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** The payload of the largest TLS record: Node reads records one by one. */
const RECORD_BYTES = 16 * 1024;
/** At most this arrives at once, also after reading was stopped. */
const SLAB_BYTES = 64 * 1024;

/** Called with bytes that are valid until it returns. False when no more are wanted until the socket is resumed. */
export type TakeBytes = (bytes: Buffer) => boolean;

/**
 * A TLS connection that is read into the same memory again and again. Node allocates memory for every 16 KB that it reads otherwise, which makes
 * V8 collect garbage in the whole heap for every 64 MB of a stream.
 *
 * As a stream it gives copies, of all that arrives in one turn of the event loop together. A reader that sets `takeBytes` gets the bytes
 * themselves, while the stream flows.
 */
export class LeanSocket extends Duplex {
  takeBytes: TakeBytes | undefined;
  readonly #socket: TLSSocket;
  /** What arrived in this turn and goes through the stream. */
  readonly #arrivals = new Slab();
  /** What arrived for `takeBytes` since it returned false. */
  readonly #held = new Slab();
  #isScheduled = false;
  #isEnded = false;

  /** `open` connects with these options for reading. */
  constructor(open: (onread: OnRead) => TLSSocket) {
    super({ allowHalfOpen: false, readableHighWaterMark: SLAB_BYTES });
    const socket = open({
      buffer: Buffer.allocUnsafeSlow(RECORD_BYTES),
      callback: (length, bytes) => this.#arrived(bytes.subarray(0, length)),
    });
    this.#socket = socket;
    socket.on('end', () => {
      this.#isEnded = true;
      this.#pushArrivals();
      if (this.#held.length === 0) this.push(null);
    });
    socket.on('timeout', () => this.emit('timeout'));
    this.on('error', () => undefined); // the owner sees the close
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (!socket.readableEnded) this.destroy();
      else if (this.readableFlowing === null) this.read(); // nothing reads it, and so nothing would end it
    });
  }

  /** The TLS connection, for its certificate and its events; it is not to be read. */
  get secured(): TLSSocket {
    return this.#socket;
  }

  // What Node's HTTP client calls on its sockets.

  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#socket.setTimeout(ms, onTimeout);
    return this;
  }

  setKeepAlive(isOn?: boolean, delayMs?: number): this {
    this.#socket.setKeepAlive(isOn, delayMs);
    return this;
  }

  setNoDelay(isOn?: boolean): this {
    this.#socket.setNoDelay(isOn);
    return this;
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }

  override resume(): this {
    super.resume();
    if (this.takeBytes === undefined) return this;
    const held = this.#held.take();
    if (held.length > 0 && !this.takeBytes(held)) return this;
    if (this.#isEnded) this.push(null);
    else this.#socket.resume(); // a stream that is bypassed does not ask for more by itself
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, callback);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), callback);
  }

  override _final(callback: () => void): void {
    if (this.#socket.destroyed) callback();
    else this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }

  /** TLS passes on all records of a read, also those after one for which this returned false. */
  #arrived(bytes: Buffer): boolean {
    if (this.takeBytes !== undefined && this.#arrivals.length === 0 && this.readableLength === 0) {
      if (this.readableFlowing === true && this.#held.length === 0) return this.takeBytes(bytes);
      this.#held.add(bytes);
      return false;
    }
    this.#arrivals.add(bytes);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#turnEnds);
    }
    return this.readableLength + this.#arrivals.length < this.readableHighWaterMark;
  }

  readonly #turnEnds = (): void => {
    this.#isScheduled = false;
    this.#pushArrivals();
  };

  #pushArrivals(): void {
    const arrived = this.#arrivals.take();
    if (arrived.length > 0 && !this.destroyed) this.push(Buffer.from(arrived));
  }
}

/** Bytes in memory that is reused. */
class Slab {
  #room: Buffer | undefined;
  length = 0;

  add(bytes: Buffer): void {
    const length = this.length + bytes.length;
    if (this.#room === undefined || this.#room.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, length));
      if (this.#room !== undefined) larger.set(this.#room.subarray(0, this.length));
      this.#room = larger;
    }
    this.#room.set(bytes, this.length);
    this.length = length;
  }

  /** All of them, valid until the next are added. */
  take(): Buffer {
    const taken = this.#room?.subarray(0, this.length) ?? NOTHING;
    this.length = 0;
    return taken;
  }
}

const NOTHING = Buffer.alloc(0);

/** Node's option for connections that are read into the same memory. */
export interface OnRead {
  readonly buffer: Buffer;
  readonly callback: (length: number, bytes: Buffer) => boolean;
}
