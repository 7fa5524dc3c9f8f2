import { Buffer } from 'node:buffer';
import { CODE, ConnectionError, FLAG, FRAME, FRAME_HEAD_BYTES } from './protocol.ts';

/** The header of a frame. One object is reused for all frames. */
export interface FrameHead {
  length: number;
  type: number;
  flags: number;
  stream: number;
}

/** Receives the frames of a connection. An error that it throws ends the reading. */
export interface FrameSink {
  /** A frame begins; its payload follows. */
  begin(head: FrameHead): void;
  /** The whole payload of a frame that is not DATA: `head.length` bytes from `start` on. */
  payload(head: FrameHead, bytes: Buffer, start: number): void;
  /** A part of the content of a DATA frame, without padding. */
  data(head: FrameHead, content: Buffer): void;
  dataEnds(head: FrameHead): void;
}

/** The required length of some types of frames. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [FRAME.priority, 5],
  [FRAME.resetStream, 4],
  [FRAME.ping, 8],
  [FRAME.windowUpdate, 4],
]);

const LAST_KNOWN_TYPE = FRAME.continuation;

/** The initial size of the buffer for a frame that arrives in pieces. */
const MIN_ROOM_BYTES = 1024;

/**
 * Splits the bytes of a connection into frames.
 *
 * Guarantees: the content of DATA is neither kept nor copied; the buffer of other frames is at most twice the bytes that
 * have arrived.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #maxFrameBytes: number;
  readonly #head: FrameHead = { length: 0, type: 0, flags: 0, stream: 0 };
  /** The incomplete header of the next frame. */
  readonly #headBytes = Buffer.alloc(FRAME_HEAD_BYTES);
  #headLength = 0;
  /** Bytes of the current frame that have not arrived. */
  #left = 0;
  #isInFrame = false;
  #gathered: Buffer | undefined;
  /** Bytes of padding at the end of the current DATA frame; undefined until known. */
  #padding: number | undefined;

  constructor(sink: FrameSink, maxFrameBytes: number) {
    this.#sink = sink;
    this.#maxFrameBytes = maxFrameBytes;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#isInFrame ? this.#readPayload(chunk, at) : this.#readHead(chunk, at);
  }

  #readHead(chunk: Buffer, at: number): number {
    if (this.#headLength === 0 && chunk.length - at >= FRAME_HEAD_BYTES) {
      this.#begin(chunk, at);
      return at + FRAME_HEAD_BYTES;
    }
    const taken = Math.min(FRAME_HEAD_BYTES - this.#headLength, chunk.length - at);
    chunk.copy(this.#headBytes, this.#headLength, at, at + taken);
    this.#headLength += taken;
    if (this.#headLength === FRAME_HEAD_BYTES) {
      this.#headLength = 0;
      this.#begin(this.#headBytes, 0);
    }
    return at + taken;
  }

  #begin(bytes: Buffer, at: number): void {
    const head = this.#head;
    head.length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    head.type = bytes[at + 3] as number;
    head.flags = bytes[at + 4] as number;
    head.stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    this.#check(head);
    this.#sink.begin(head);
    this.#left = head.length;
    this.#isInFrame = head.length > 0;
    this.#padding = (head.flags & FLAG.padded) === 0 ? 0 : undefined;
    if (this.#isInFrame) return;
    if (head.type === FRAME.data) this.#sink.dataEnds(head);
    else this.#sink.payload(head, bytes, 0);
  }

  #check({ length, type, flags }: FrameHead): void {
    const fixed = FIXED_BYTES.get(type);
    const isWrong = length > this.#maxFrameBytes || (fixed !== undefined && length !== fixed);
    const isWithoutPadding = type === FRAME.data && length === 0 && (flags & FLAG.padded) !== 0;
    if (isWrong || isWithoutPadding) {
      throw new ConnectionError(CODE.frameSizeError, `A frame of type ${type} has ${length} bytes`);
    }
  }

  #readPayload(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#left, chunk.length);
    this.#left -= end - at;
    this.#isInFrame = this.#left > 0;
    if (this.#head.type === FRAME.data) this.#readData(chunk, at, end);
    else if (this.#head.type <= LAST_KNOWN_TYPE) this.#gather(chunk, at, end);
    else if (!this.#isInFrame) this.#sink.payload(this.#head, chunk, at);
    return end;
  }

  #readData(chunk: Buffer, from: number, end: number): void {
    let at = from;
    if (this.#padding === undefined) {
      this.#padding = chunk[at++] as number;
      if (this.#padding > this.#head.length - 1) throw tooMuchPadding();
    }
    const contentEnd = end - Math.max(0, this.#padding - this.#left);
    if (contentEnd > at) this.#sink.data(this.#head, chunk.subarray(at, contentEnd));
    if (!this.#isInFrame) this.#sink.dataEnds(this.#head);
  }

  #gather(chunk: Buffer, at: number, end: number): void {
    const { length } = this.#head;
    if (end - at === length) {
      this.#sink.payload(this.#head, chunk, at);
      return;
    }
    const come = length - this.#left;
    this.#keep(chunk.subarray(at, end), come);
    if (this.#isInFrame) return;
    const whole = this.#gathered as Buffer;
    this.#gathered = undefined;
    this.#sink.payload(this.#head, whole, 0);
  }

  /** Appends a part, after which `come` bytes have arrived. */
  #keep(part: Buffer, come: number): void {
    const room = this.#gathered?.length ?? 0;
    if (come > room) {
      const larger = Buffer.allocUnsafe(Math.min(this.#head.length, Math.max(come, room * 2, MIN_ROOM_BYTES)));
      this.#gathered?.copy(larger, 0, 0, come - part.length);
      this.#gathered = larger;
    }
    part.copy(this.#gathered as Buffer, come - part.length);
  }
}

export function tooMuchPadding(): ConnectionError {
  return new ConnectionError(CODE.protocolError, 'A frame has more padding than bytes');
}
