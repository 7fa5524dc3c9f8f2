import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Clock, Random } from '../../base/index.ts';
import { drained } from '../connections/index.ts';
import { CLOSE_CODE, closeFrame, frame, MASK_BYTES, OPCODE } from './frame.ts';
import { FrameReader, type FrameWord } from './frame-reader.ts';

export interface WebSocketOptions {
  readonly clock: Clock;
  /** What both sides agreed to speak; '' when they did not. */
  readonly protocol: string;
  /** Given by clients, which have to mask what they send; a connection without it is a server's. */
  readonly random?: Random;
  /** A larger message ends the connection; 1 MiB unless given. */
  readonly maxMessageBytes?: number;
  /** A side that is silent for so long is pinged; one that stays silent as long again is gone. 30 s unless given. */
  readonly pingAfterMs?: number;
}

export interface WebSocketMessage {
  readonly isText: boolean;
  readonly data: Uint8Array;
}

const DEFAULT_MAX_MESSAGE_BYTES = 1024 * 1024;
const DEFAULT_PING_AFTER_MS = 30_000;
/** How long the other side may take to close, once it has been told to. */
const CLOSE_TIMEOUT_MS = 1000;
/** Above this, a side that pings and does not read gets no more answers to its pings. */
const MAX_BUFFERED_PONG_BYTES = 64 * 1024;

/** The connection was lost, or the other side broke the protocol. A close in good order ends the messages without an error. */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A connection on which WebSocket is spoken, for either side.
 *
 * Iterating, once, gives the messages; the other side is read no faster than they are taken, and pings are answered meanwhile.
 * The loop ends when the other side closes; leaving it closes. `send` waits while the other side does not read.
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
    socket.on('error', () => undefined); // reading tells
  }

  /** Sends a message whole; resolves when more may be sent. What is sent after the end goes nowhere. */
  async send(data: Uint8Array | string): Promise<void> {
    const socket = this.#socket;
    if (this.#isClosing || !socket.writable) return;
    const isText = typeof data === 'string';
    const bytes = frame(isText ? OPCODE.text : OPCODE.binary, isText ? Buffer.from(data) : data, this.#mask());
    if (!socket.write(bytes)) await drained(socket);
  }

  /** Says that this side is done; the connection ends when the other side agrees, or after a second. */
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

  /** Acts on a word that is no data; true when it was the last one. */
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

  /** What comes in; a silent connection is pinged and then given up, as long as somebody waits for it to speak. */
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
