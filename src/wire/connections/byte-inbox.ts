/** How many bytes wait for a slow reader before writers have to wait. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Pieces below this size are joined with the piece before, so that a reader's work depends on the bytes, not on the pieces. */
const SMALL_PIECE_BYTES = 4 * 1024;
const JOINED_BYTES = 16 * 1024;

/** A piece that waits. The rest of `room`, after the first `length` bytes, takes further small pieces. */
interface Piece {
  room: Uint8Array;
  length: number;
}

/** Receives bytes, of which it copies what it keeps. Undefined when it takes more at once. */
export type Sink = (bytes: Uint8Array) => Promise<void> | undefined;

/** Bytes for one reader, who either iterates or gives a sink. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** Passes all bytes to the sink as they arrive, without a queue in between; resolves at their end. */
  drainTo(sink: Sink): Promise<void>;
}

export interface ByteInboxOptions {
  /** Whether the memory of pieces is used for others when `offer` has returned; default false. */
  readonly isMemoryReused?: boolean;
}

/** A queue of bytes with one reader. Small pieces that wait are joined. */
export class ByteInbox implements ByteSource {
  readonly #isMemoryReused: boolean;
  #waiting: Piece[] = [];
  #bytes = 0;
  #end: { readonly error?: Error } | undefined;
  #isDropped = false;
  #sink: Sink | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeBringers: (() => void)[] = [];

  constructor({ isMemoryReused = false }: ByteInboxOptions = {}) {
    this.#isMemoryReused = isMemoryReused;
  }

  /** Whether no more bytes can arrive. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Resolves when there is room for more. Drops bytes after the end, and when the reader has left. */
  async deliver(bytes: Uint8Array): Promise<void> {
    await this.offer(bytes);
  }

  /** The same, for callers with very many pieces: undefined when there is room for more at once. */
  offer(bytes: Uint8Array): Promise<void> | undefined {
    if (this.isOver || bytes.length === 0) return undefined;
    if (this.#sink !== undefined) return this.#sink(bytes);
    this.#add(bytes);
    this.#bytes += bytes.length;
    this.#wakeReader?.();
    return this.#bytes > MAX_WAITING_BYTES ? this.#untilRoom() : undefined;
  }

  /** The reader gets the queued bytes, and then the end or the error. */
  finish(error?: Error): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wakeReader?.();
    this.#wake();
  }

  /** Ends without the bytes that wait: the other side has left, and its input no longer matters. */
  drop(): void {
    this.#isDropped = true;
    this.#waiting = [];
    this.#bytes = 0;
    this.finish();
  }

  async drainTo(sink: Sink): Promise<void> {
    try {
      while (this.#waiting.length > 0 || this.#end === undefined) {
        const [piece] = this.#waiting.splice(0, 1);
        if (piece !== undefined) {
          this.#bytes -= piece.length;
          this.#wake();
          await sink(piece.room.subarray(0, piece.length));
        } else {
          this.#sink = sink;
          await new Promise<void>((resolve) => (this.#wakeReader = resolve));
        }
      }
      if (this.#end?.error !== undefined) throw this.#end.error;
    } finally {
      this.drop();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#waiting.length > 0) {
          const pieces = this.#waiting;
          this.#waiting = [];
          for (const { room, length } of pieces) {
            if (this.#isDropped) return;
            this.#bytes = Math.max(0, this.#bytes - length);
            this.#wake();
            yield length === room.length ? room : room.subarray(0, length);
          }
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => (this.#wakeReader = resolve));
        } else if (this.#end.error === undefined) {
          return;
        } else {
          throw this.#end.error;
        }
      }
    } finally {
      this.drop();
    }
  }

  #add(bytes: Uint8Array): void {
    const last = this.#waiting.at(-1);
    const isSmall = bytes.length < SMALL_PIECE_BYTES && last !== undefined && this.#hasRoom(last, bytes.length);
    if (!isSmall) {
      this.#waiting.push({ room: this.#isMemoryReused ? Buffer.from(bytes) : bytes, length: bytes.length });
      return;
    }
    last.room.set(bytes, last.length);
    last.length += bytes.length;
  }

  /** Whether this number of bytes fits behind the piece, which is copied to a larger place if it is small. */
  #hasRoom(piece: Piece, bytes: number): boolean {
    if (piece.length + bytes <= piece.room.length) return true;
    if (piece.length >= SMALL_PIECE_BYTES) return false;
    const room = new Uint8Array(JOINED_BYTES);
    room.set(piece.room.subarray(0, piece.length));
    piece.room = room;
    return true;
  }

  async #untilRoom(): Promise<void> {
    while (this.#bytes > MAX_WAITING_BYTES && !this.isOver)
      await new Promise<void>((resolve) => this.#wakeBringers.push(resolve));
  }

  #wake(): void {
    const bringers = this.#wakeBringers;
    if (bringers.length === 0) return;
    this.#wakeBringers = [];
    for (const wake of bringers) wake();
  }
}
