import type { Duplex } from 'node:stream';
import { messageOf } from '../../base/index.ts';
import { FrameTurns, readBytes, TurnWrites } from '../connections/index.ts';
import {
  dataFrameHead,
  goAwayFrame,
  openFrame,
  pingFrame,
  replyFrame,
  RESET_STATUS,
  resetFrame,
  type SpdyFrame,
} from './frame.ts';
import { SpdyFrameReader } from './frame-reader.ts';
import { HeaderPacker, HeaderUnpacker, type SpdyHeaders } from './header-block.ts';
import { SpdyError, SpdyStream, type StreamWriter } from './spdy-stream.ts';

export interface SpdySessionOptions {
  readonly isServer: boolean;
  /** Concurrent streams; more are refused. Default 256. */
  readonly maxStreams?: number;
  /** When more than this of control frames is unsent, the connection ends. Default 1 MiB. */
  readonly maxUnreadControlBytes?: number;
  /** Called with streams that the other side opens; without it they are refused. */
  readonly onStream?: (stream: SpdyStream) => void;
}

const DEFAULT_MAX_STREAMS = 256;
/** Larger pieces are split into several frames, so that no stream delays the others. */
const MAX_DATA_BYTES = 64 * 1024;
/** When more than this is unsent, pings are not answered: the other side does not read. */
const MAX_BUFFERED_PONG_BYTES = 64 * 1024;
const DEFAULT_MAX_UNREAD_CONTROL_BYTES = 1024 * 1024;

/**
 * A SPDY/3.1 connection as Kubernetes uses it: without windows. The connection is read no faster than the slowest reader of
 * its streams, except for a limited buffer per stream.
 */
export class SpdySession {
  readonly #socket: Duplex;
  readonly #options: SpdySessionOptions;
  readonly #writes: TurnWrites;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #replies = new Map<number, (error?: Error) => void>();
  readonly #packer = new HeaderPacker();
  /** Undefined when the other side may open no streams: then nothing in its headers matters. */
  readonly #unpacker: HeaderUnpacker | undefined;
  readonly #writer: StreamWriter;
  #lastOpened: number;
  #lastAccepted = 0;
  /** Bytes of control frames since everything was sent. */
  #unreadControlBytes = 0;
  #isClosing = false;

  /** Resolves when the connection has ended, for any reason. */
  readonly closed: Promise<void>;

  constructor(socket: Duplex, options: SpdySessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#writes = new TurnWrites(socket);
    this.#lastOpened = options.isServer ? 0 : -1;
    this.#unpacker = options.onStream === undefined ? undefined : new HeaderUnpacker();
    this.#writer = {
      data: (stream, payload, isLast) => this.#sendData(stream, payload, isLast),
      reset: (stream, status) => this.#send(resetFrame(stream, status)),
      forget: (stream) => void this.#streams.delete(stream),
    };
    socket.on('error', () => undefined); // the read loop sees the error
    this.closed = this.#run();
  }

  /** Opens a stream; resolves when the other side has accepted it. */
  async open(headers: SpdyHeaders): Promise<SpdyStream> {
    if (this.#isClosing) throw new SpdyError('The connection is closing');
    this.#lastOpened += 2;
    const stream = new SpdyStream(this.#lastOpened, headers, this.#writer);
    this.#streams.set(stream.id, stream);
    const reply = new Promise<void>((resolve, reject) => {
      this.#replies.set(stream.id, (error) => (error === undefined ? resolve() : reject(error)));
    });
    this.#send(openFrame(stream.id, this.#packer.pack(headers)));
    await reply;
    return stream;
  }

  /** Ends the connection after everything is sent. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#send(goAwayFrame(Math.max(0, this.#lastAccepted)));
    this.#writes.end();
  }

  destroy(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  async #run(): Promise<void> {
    const reader = new SpdyFrameReader();
    const turns = new FrameTurns();
    let reason = 'The connection was lost';
    try {
      await readBytes(this.#socket, (bytes) => {
        const frames = reader.read(bytes);
        for (let step = frames.next(); step.done !== true; step = frames.next()) {
          const heeding = this.#heed(step.value);
          const turn = turns.spend();
          if (heeding === undefined && turn === undefined) continue;
          reader.keep();
          return this.#heedLater(frames, turns, Promise.all([heeding, turn]));
        }
        return undefined;
      });
    } catch (error) {
      reason = messageOf(error);
      this.#socket.destroy();
    } finally {
      this.#isClosing = true;
      this.#unpacker?.close();
      const error = new SpdyError(reason);
      for (const tell of this.#replies.values()) tell(error);
      this.#replies.clear();
      for (const stream of this.#streams.values()) stream.fail(error);
      this.#writes.end();
    }
  }

  /** Handles the frames of a piece after one that the next has to wait for. */
  async #heedLater(frames: Iterator<SpdyFrame>, turns: FrameTurns, before: Promise<unknown>): Promise<void> {
    await before;
    for (let step = frames.next(); step.done !== true; step = frames.next()) {
      const heeding = this.#heed(step.value);
      if (heeding !== undefined) await heeding;
      const turn = turns.spend();
      if (turn !== undefined) await turn;
    }
  }

  /** Handles a frame; a promise when the next one has to wait. */
  #heed(frame: SpdyFrame): Promise<void> | undefined {
    if (frame.type !== 'data') return this.#heedControl(frame);
    const stream = this.#streams.get(frame.stream);
    const full = stream?.deliver(frame.payload);
    if (!frame.isLast || stream === undefined) return full;
    if (full === undefined) stream.finish();
    return full?.then(() => stream.finish());
  }

  async #heedControl(frame: Exclude<SpdyFrame, { readonly type: 'data' }>): Promise<void> {
    switch (frame.type) {
      case 'open':
        return this.#accept(frame.stream, (await this.#unpacker?.unpack(frame.block)) ?? {}, frame.isLast);
      case 'reply':
        await this.#unpacker?.unpack(frame.block);
        this.#settleReply(frame.stream);
        if (frame.isLast) this.#streams.get(frame.stream)?.finish();
        return;
      case 'headers':
        await this.#unpacker?.unpack(frame.block);
        return;
      case 'reset': {
        const error = new SpdyError(`The other side gave up the stream (status ${frame.status})`);
        this.#settleReply(frame.stream, error);
        // Kubernetes' servers cancel all streams when a command has ended, and their clients treat that as the end.
        this.#streams.get(frame.stream)?.fail(frame.status === RESET_STATUS.cancel ? undefined : error);
        return;
      }
      case 'ping': {
        const isTheirs = (frame.id % 2 === 1) === this.#options.isServer;
        if (isTheirs && this.#writes.unsentBytes < MAX_BUFFERED_PONG_BYTES) this.#send(pingFrame(frame.id));
        return;
      }
      case 'broken':
        throw new SpdyError(`The other side does not keep to the protocol: ${frame.reason}`);
      case 'go away':
      case 'other':
        return;
    }
  }

  #accept(id: number, headers: SpdyHeaders, isLast: boolean): void {
    const { isServer, onStream, maxStreams = DEFAULT_MAX_STREAMS } = this.#options;
    if ((id % 2 === 1) !== isServer || id <= this.#lastAccepted) {
      return this.#send(resetFrame(id, RESET_STATUS.protocolError));
    }
    this.#lastAccepted = id;
    if (onStream === undefined || this.#isClosing || this.#streams.size >= maxStreams) {
      return this.#send(resetFrame(id, RESET_STATUS.refused));
    }
    const stream = new SpdyStream(id, headers, this.#writer);
    this.#streams.set(id, stream);
    this.#send(replyFrame(id, this.#packer.pack({})));
    if (isLast) stream.finish();
    onStream(stream);
  }

  #settleReply(stream: number, error?: Error): void {
    this.#replies.get(stream)?.(error);
    this.#replies.delete(stream);
  }

  async #sendData(stream: number, payload: Uint8Array, isLast: boolean): Promise<void> {
    let at = 0;
    do {
      const part = payload.subarray(at, at + MAX_DATA_BYTES);
      at += part.length;
      if (!this.#socket.writable) return;
      const head = dataFrameHead(stream, part.length, isLast && at >= payload.length);
      const full = part.length === 0 ? this.#writes.write(head) : this.#writes.write(head, part);
      if (full !== undefined) await full;
    } while (at < payload.length);
  }

  /** Sends a control frame. The other side may cause any number of them, and must read them. */
  #send(bytes: Buffer): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    this.#unreadControlBytes = this.#writes.unsentBytes === 0 ? bytes.length : this.#unreadControlBytes + bytes.length;
    const { maxUnreadControlBytes = DEFAULT_MAX_UNREAD_CONTROL_BYTES } = this.#options;
    if (this.#unreadControlBytes > maxUnreadControlBytes)
      socket.destroy(new SpdyError('The other side does not read what it asks for'));
    else void this.#writes.write(bytes);
  }
}
