import { Duplex } from 'node:stream';

/** Two ends of a connection within this process: bytes written to one are read from the other, with backpressure. */
export function duplexPair(): readonly [Duplex, Duplex] {
  const first = new PairEnd();
  const second = new PairEnd();
  first.other = second;
  second.other = first;
  return [first, second];
}

class PairEnd extends Duplex {
  other!: PairEnd;
  /** Completes the write of the other end whose bytes were read. */
  #taken: (() => void) | undefined;

  constructor() {
    super({ allowHalfOpen: true });
  }

  // Other methods that Node's HTTP calls on sockets; no connection here is slow, idle or kept alive, so no timer is set.
  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.other.#take(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.other.#take(null, callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const { other } = this;
    if (!other.destroyed && !other.readableEnded) process.nextTick(() => other.destroy());
    this.#taken?.();
    callback(error);
  }

  #take(chunk: Buffer | null, callback: () => void): void {
    if (this.destroyed) return callback();
    if (this.push(chunk) || chunk === null) process.nextTick(callback);
    else this.#taken = callback;
  }
}
