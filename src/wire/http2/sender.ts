import type { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { HpackEncoder } from './hpack-encoder.ts';
import { DEFAULT_FRAME_BYTES, DEFAULT_WINDOW_BYTES, FLAG, FRAME } from './protocol.ts';
import type { AnswerHead, ServerStream } from './server-stream.ts';
import type { WriteBuffer } from './write-buffer.ts';

/** The size of one write; more waits until the socket has accepted it. */
const MAX_WRITE_BYTES = 128 * 1024;

/** Control frames that may wait for a client that does not read. */
const MAX_CONTROL_FRAMES = 2_000;

/** The usual size of a response head. */
const HEAD_BYTES = 512;

/** A frame that the client's window makes smaller than this counts as tiny (CVE-2019-9511). */
const TINY_FRAME_BYTES = 256;

export interface SenderEvents {
  /** A stream has nothing more to send, or was reset. */
  streamOver(stream: ServerStream): void;
  /** A DATA frame was sent that the client's window did not make tiny. */
  progress(bytes: number): void;
  /** Everything that could be sent was sent. */
  flushed(): void;
  /** Too many frames wait for a client that does not read. */
  flooded(): void;
}

/**
 * Sends the output of the streams of one connection, one frame each in turn, as far as the windows allow.
 *
 * Everything written in one turn of the event loop is sent in one write, and so in one TLS record if it fits. Payloads are
 * shared between connections: they are copied only into that write.
 */
export class Sender {
  readonly #socket: Duplex;
  readonly #buffer: WriteBuffer;
  readonly #events: SenderEvents;
  readonly encoder = new HpackEncoder();
  /** The client's window for all streams together. */
  window = DEFAULT_WINDOW_BYTES;
  maxFrameBytes = DEFAULT_FRAME_BYTES;
  readonly #control: Buffer[] = [];
  #listed: ServerStream[] = [];
  /** Streams that wait for the connection's window. */
  readonly #waiting = new Set<ServerStream>();
  #isScheduled = false;
  /** The socket has not accepted the last write. */
  #isBlocked = false;
  #isOver = false;

  constructor(socket: Duplex, buffer: WriteBuffer, events: SenderEvents) {
    this.#socket = socket;
    this.#buffer = buffer;
    this.#events = events;
    socket.on('drain', () => {
      this.#isBlocked = false;
      this.flush();
    });
  }

  /** Sends a frame before everything that waits. Assumes: the frame does not depend on the compression table. */
  control(frame: Buffer): void {
    if (this.#control.push(frame) === MAX_CONTROL_FRAMES) process.nextTick(() => this.#events.flooded());
    this.#schedule();
  }

  /** The stream has something to send, or has ended. */
  list(stream: ServerStream): void {
    if (stream.isListed) return;
    stream.isListed = true;
    this.#listed.push(stream);
    this.#schedule();
  }

  /** The connection's window is open again. */
  unblock(): void {
    for (const stream of this.#waiting) this.list(stream);
    this.#waiting.clear();
  }

  /** Nothing waits to be sent, except behind closed windows. */
  get isIdle(): boolean {
    return this.#control.length === 0 && this.#listed.length === 0;
  }

  /** Sends nothing more and drops what waits. */
  stop(): void {
    this.#isOver = true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#buffer.turnEnd.add(this.flush);
  }

  readonly flush = (): void => {
    this.#isScheduled = false;
    if (this.#isOver) return;
    const over: ServerStream[] = [];
    if (!this.#isBlocked) this.#write(over);
    else this.#leaveReset(over);
    for (const stream of over) {
      if (!stream.destroyed) stream.sent();
      if (!stream.destroyed && !stream.isComplete) continue;
      this.#waiting.delete(stream);
      this.#events.streamOver(stream);
    }
    this.#events.flushed();
  };

  /** Reset streams do not wait for the socket. */
  #leaveReset(over: ServerStream[]): void {
    this.#listed = this.#listed.filter((stream) => {
      if (!stream.destroyed) return true;
      stream.isListed = false;
      over.push(stream);
      return false;
    });
  }

  #write(over: ServerStream[]): void {
    const buffer = this.#buffer;
    buffer.begin(this.#expectedBytes());
    if (this.#control.length > 0) {
      for (const frame of this.#control) buffer.bytes(frame);
      this.#control.length = 0;
    }
    let next = 0;
    for (; next < this.#listed.length && buffer.length < MAX_WRITE_BYTES; next++) {
      const stream = this.#listed[next] as ServerStream;
      stream.isListed = false;
      if (this.#writeStream(stream)) over.push(stream);
    }
    this.#listed = next === this.#listed.length ? [] : this.#listed.slice(next);
    this.#isBlocked = !buffer.sendTo(this.#socket);
  }

  #expectedBytes(): number {
    let bytes = 0;
    for (const stream of this.#listed) bytes += HEAD_BYTES + Math.min(stream.queuedBytes, MAX_WRITE_BYTES);
    return Math.min(bytes, MAX_WRITE_BYTES + this.maxFrameBytes);
  }

  /** True when the stream has nothing more to send. Otherwise it goes to the end of the list, or waits for its window. */
  #writeStream(stream: ServerStream): boolean {
    if (stream.destroyed) return true;
    const { head } = stream;
    if (head !== undefined) {
      stream.head = undefined;
      stream.isEndSent = stream.isEnding && stream.queuedBytes === 0;
      this.#writeHead(stream, head);
    }
    if (stream.queuedBytes > 0) return this.#writeData(stream);
    if (!stream.isEnding || stream.isEndSent) return true;
    stream.isEndSent = true;
    this.#buffer.frameHead(0, (FRAME.data << 8) | FLAG.endStream, stream.id);
    return true;
  }

  #writeData(stream: ServerStream): boolean {
    const { queuedBytes, sendWindow } = stream;
    const window = Math.min(sendWindow, this.window);
    if (window <= 0) {
      if (sendWindow > 0) this.#waiting.add(stream);
      return false;
    }
    const size = Math.min(queuedBytes, window, this.maxFrameBytes);
    const isAll = size === queuedBytes;
    if (isAll || size >= TINY_FRAME_BYTES) this.#events.progress(size);
    stream.isEndSent = isAll && stream.isEnding;
    this.#buffer.frameHead(size, (FRAME.data << 8) | (stream.isEndSent ? FLAG.endStream : 0), stream.id);
    this.#copy(stream, size);
    stream.sendWindow -= size;
    this.window -= size;
    if (!isAll) {
      stream.isListed = true;
      this.#listed.push(stream);
    }
    return isAll;
  }

  #copy(stream: ServerStream, size: number): void {
    const { chunks } = stream;
    stream.queuedBytes -= size;
    for (let left = size; left > 0;) {
      const chunk = chunks[stream.nextChunk] as Uint8Array;
      const end = Math.min(chunk.length, stream.offset + left);
      left -= end - stream.offset;
      this.#buffer.bytes(stream.offset === 0 && end === chunk.length ? chunk : chunk.subarray(stream.offset, end));
      stream.offset = end === chunk.length ? 0 : end;
      if (stream.offset === 0) stream.nextChunk += 1;
    }
    if (stream.queuedBytes === 0) stream.allSent();
  }

  #writeHead(stream: ServerStream, head: AnswerHead): void {
    const buffer = this.#buffer;
    const begin = buffer.length;
    const flags = stream.isEndSent ? FLAG.endStream : 0;
    buffer.frameHead(0, (FRAME.headers << 8) | flags | FLAG.endHeaders, stream.id);
    const blockBegin = buffer.length;
    this.encoder.encode(head.code, head.headers, buffer);
    if (buffer.length - blockBegin <= this.maxFrameBytes) buffer.closeFrame(begin);
    else this.#writeInParts(stream, { begin, blockBegin, flags });
  }

  /** Splits a header block that exceeds one frame. */
  #writeInParts(stream: ServerStream, place: { begin: number; blockBegin: number; flags: number }): void {
    const buffer = this.#buffer;
    const block = buffer.cutFrom(place.blockBegin);
    buffer.cutFrom(place.begin);
    for (let start = 0; start < block.length; start += this.maxFrameBytes) {
      const part = block.subarray(start, start + this.maxFrameBytes);
      const type = start === 0 ? (FRAME.headers << 8) | place.flags : FRAME.continuation << 8;
      const isLast = start + part.length === block.length;
      buffer.frameHead(part.length, type | (isLast ? FLAG.endHeaders : 0), stream.id);
      buffer.bytes(part);
    }
  }
}
