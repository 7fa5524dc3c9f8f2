import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Clock, Random } from '../../base/index.ts';
import { drained } from '../connections/index.ts';
import { CLOSE_CODE, closeFrame, frame, MASK_BYTES, OPCODE } from './frame.ts';
import { FrameReader, type FrameWord } from './frame-reader.ts';

export interface WebSocketOptions {
  readonly clock: Clock;
  /** The agreed subprotocol; '' for none. */
  readonly protocol: string;
  /** Set on the client's side, which has to mask its frames; a connection without it is a server's. */
  readonly random?: Random;
  /** A larger message ends the connection; default 1 MiB. */
  readonly maxMessageBytes?: number;
  /** A peer that is silent for this time is pinged; one that stays silent for as long again counts as lost. Default 30 s. */
  readonly pingAfterMs?: number;
}

export interface WebSocketMessage {
  readonly isText: boolean;
  readonly data: Uint8Array;
}

const DEFAULT_MAX_MESSAGE_BYTES = 1024 * 1024;
const DEFAULT_PING_AFTER_MS = 30_000;
/** How long the other side may take to answer a close. */
const CLOSE_TIMEOUT_MS = 1000;
/** When more than this is unsent, pings are not answered: the other side does not read. */
const MAX_BUFFERED_PONG_BYTES = 64 * 1024;

/** The connection was lost, or the other side violated the protocol. A clean close ends the messages without an error. */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A WebSocket connection, for either side.
 *
 * Iterating, once, yields the messages, with backpressure; pings are answered meanwhile. The loop ends when the other side
 * closes; leaving the loop closes the connection. `send` waits while the other side does not read.
 */
export class WebSocketConnection implements AsyncIterable<WebSocketMessage> {
  readonly protocol: string;
  readonly #socket: Duplex;
  readonly #options: WebSocketOptions;
  #isClosing = false;

  constructor(socket: Duplex, options: WebSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.protocol = options.protocol;
    socket.on('error', () => undefined); // the read loop sees the error
  }

  /** Sends one message; resolves when more may be sent. Messages after the end are dropped. */
  async send(data: Uint8Array | string): Promise<void> {
    const socket = this.#socket;
    if (this.#isClosing || !socket.writable) return;
    const isText = typeof data === 'string';
    const bytes = frame(isText ? OPCODE.text : OPCODE.binary, isText ? Buffer.from(data) : data, this.#mask());
    if (!socket.write(bytes)) await drained(socket);
  }

  /** Starts the close; the connection ends when the other side agrees, or after a second. */
  close(code: number = CLOSE_CODE.normal, reason = ''): void {
    const socket = this.#socket;
    if (this.#isClosing || socket.destroyed) return;
    this.#isClosing = true;
    if (socket.writable) socket.end(closeFrame(code, reason, this.#mask()));
    const timer = this.#options.clock.timer(CLOSE_TIMEOUT_MS, () => socket.destroy());
    socket.once('close', () => timer[Symbol.dispose]());
    if (!socket.readableEnded && socket.readableFlowing === null) socket.resume(); // to see the other side's end
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WebSocketMessage> {
    const { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES, random } = this.#options;
    const reader = new FrameReader(random === undefined ? 'client' : 'server');
    let parts: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of this.#chunks()) {
        for (const word of reader.read(chunk)) {
          if (word.type !== 'data') {
            if (this.#heed(word)) return;
            continue;
          }
          bytes += word.payload.length;
          if (bytes > maxMessageBytes) {
            throw this.#fail(CLOSE_CODE.tooLarge, `A message is larger than ${maxMessageBytes} bytes`);
          }
          parts.push(word.payload);
          if (!word.isEnd) continue;
          const data = parts.length === 1 ? word.payload : Buffer.concat(parts, bytes);
          parts = [];
          bytes = 0;
          if (word.isText && !isUtf8(data)) throw this.#fail(CLOSE_CODE.notUtf8, 'A text message is no UTF-8');
          if (!this.#isClosing) yield { isText: word.isText, data };
        }
      }
      if (!this.#isClosing) throw new WebSocketError(CLOSE_CODE.goingAway, 'The connection was lost');
    } finally {
      this.close();
    }
  }

  /** Handles a frame without data; true when it was the last one. */
  #heed(word: Exclude<FrameWord, { readonly type: 'data' }>): boolean {
    switch (word.type) {
      case 'ping':
        if (!this.#isClosing && this.#socket.writableLength < MAX_BUFFERED_PONG_BYTES) {
          this.#socket.write(frame(OPCODE.pong, word.payload, this.#mask()));
        }
        return false;
      case 'pong':
        return false;
      case 'close':
        this.close(word.code);
        return true;
      case 'broken':
        throw this.#fail(CLOSE_CODE.protocolError, 'The other side does not keep to the protocol');
    }
  }

  #fail(code: number, message: string): WebSocketError {
    this.close(code, message);
    return new WebSocketError(code, message);
  }

  /** The incoming bytes; a silent peer is pinged and then disconnected while the reader waits. */
  async *#chunks(): AsyncGenerator<Buffer> {
    const { clock, pingAfterMs = DEFAULT_PING_AFTER_MS } = this.#options;
    const socket = this.#socket;
    const chunks = socket.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    for (;;) {
      const giveUp = (): void => void socket.destroy(new Error('it does not answer pings'));
      let timer = clock.timer(pingAfterMs, () => {
        if (socket.writable) socket.write(frame(OPCODE.ping, new Uint8Array(), this.#mask()));
        timer = clock.timer(pingAfterMs, giveUp);
      });
      try {
        const step = await chunks.next();
        if (step.done === true) return;
        yield step.value as Buffer;
      } catch (cause) {
        throw new WebSocketError(CLOSE_CODE.goingAway, `The connection was lost: ${String(cause)}`, { cause });
      } finally {
        timer[Symbol.dispose]();
      }
    }
  }

  #mask(): Uint8Array | undefined {
    return this.#options.random?.bytes(MASK_BYTES);
  }
}
