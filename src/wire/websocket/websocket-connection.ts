import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Clock, Random } from '../../base/index.ts';
import { FrameTurns, TurnWrites } from '../connections/index.ts';
import { CLOSE_CODE, closeFrame, frame, frameHead, MASK_BYTES, OPCODE } from './frame.ts';
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
  readonly #writes: TurnWrites;
  /** The beginning of a message that arrives in parts. */
  readonly #partial = new PartialMessage();
  #isClosing = false;

  constructor(socket: Duplex, options: WebSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#writes = new TurnWrites(socket);
    this.protocol = options.protocol;
    socket.on('error', () => undefined); // the read loop sees the error
  }

  /** Sends one message; resolves when more may be sent. Messages after the end are dropped. */
  async send(data: Uint8Array | string): Promise<void> {
    const socket = this.#socket;
    if (this.#isClosing || !socket.writable) return;
    const isText = typeof data === 'string';
    const bytes = frame(isText ? OPCODE.text : OPCODE.binary, isText ? Buffer.from(data) : data, this.#mask());
    await this.#writes.write(bytes);
  }

  /** Sends one binary message that begins with these few bytes; undefined when more may be sent at once. Copies the bytes. */
  sendAfter(first: Uint8Array, data: Uint8Array): Promise<void> | undefined {
    const socket = this.#socket;
    if (this.#options.random !== undefined) return this.send(Buffer.concat([first, data])); // it has to be masked
    if (this.#isClosing || !socket.writable) return undefined;
    return this.#writes.write(Buffer.concat([frameHead(OPCODE.binary, first.length + data.length), first]), data);
  }

  /** Starts the close; the connection ends when the other side agrees, or after a second. */
  close(code: number = CLOSE_CODE.normal, reason = ''): void {
    const socket = this.#socket;
    if (this.#isClosing || socket.destroyed) return;
    this.#isClosing = true;
    this.#writes.end(closeFrame(code, reason, this.#mask()));
    const timer = this.#options.clock.timer(CLOSE_TIMEOUT_MS, () => socket.destroy());
    socket.once('close', () => timer[Symbol.dispose]());
    if (!socket.readableEnded && socket.readableFlowing === null) socket.resume(); // to see the other side's end
  }

  /** The messages, one at a time. */
  async *[Symbol.asyncIterator](): AsyncGenerator<WebSocketMessage> {
    for await (const batch of this.batches()) for (const message of batch) if (!this.#isClosing) yield message;
  }

  /** The messages that arrive together, as lists; a reader of very many tiny messages is faster with them. Once, like iterating. */
  async *batches(): AsyncGenerator<readonly WebSocketMessage[]> {
    const reader = new FrameReader(this.#options.random === undefined ? 'client' : 'server');
    const turns = new FrameTurns();
    try {
      for await (const chunk of this.#chunks()) {
        let batch: WebSocketMessage[] = [];
        let ping: Uint8Array | undefined;
        for (const word of reader.read(chunk)) {
          const turn = turns.spend();
          if (word.type === 'data') {
            const message = this.#message(word);
            if (message instanceof WebSocketError) {
              if (batch.length > 0) yield batch;
              throw this.#fail(message);
            }
            if (message !== undefined) batch.push(message);
          } else if (word.type === 'ping') {
            ping = word.payload; // only the newest is answered (RFC 6455, section 5.5.3)
          } else if (word.type === 'close' || word.type === 'broken') {
            if (batch.length > 0) yield batch;
            if (word.type === 'broken') throw this.#fail(brokenProtocol());
            this.close(word.code);
            return;
          }
          if (turn === undefined) continue;
          if (batch.length > 0) yield batch;
          batch = [];
          await turn;
        }
        if (ping !== undefined) this.#answer(ping);
        if (batch.length > 0) yield batch;
      }
      if (!this.#isClosing) throw new WebSocketError(CLOSE_CODE.goingAway, 'The connection was lost');
    } finally {
      this.close();
    }
  }

  /** The message that this part completes, if it does, or what is wrong with it. */
  #message({ payload, isText, isEnd }: DataWord): WebSocketMessage | WebSocketError | undefined {
    const { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES } = this.#options;
    const bytes = this.#partial.length + payload.length;
    if (bytes > maxMessageBytes)
      return new WebSocketError(CLOSE_CODE.tooLarge, `A message is larger than ${maxMessageBytes} bytes`);
    if (!isEnd) {
      this.#partial.add(payload);
      return undefined;
    }
    const data = this.#partial.length === 0 ? payload : this.#partial.take(payload);
    if (isText && !isUtf8(data)) return new WebSocketError(CLOSE_CODE.notUtf8, 'A text message is no UTF-8');
    return this.#isClosing ? undefined : { isText, data };
  }

  #answer(ping: Uint8Array): void {
    if (this.#isClosing || this.#writes.unsentBytes >= MAX_BUFFERED_PONG_BYTES) return;
    void this.#writes.write(frame(OPCODE.pong, ping, this.#mask()));
  }

  #fail(error: WebSocketError): WebSocketError {
    this.close(error.code, error.message);
    return error;
  }

  /** The incoming bytes; a silent peer is pinged and then disconnected while the reader waits. */
  async *#chunks(): AsyncGenerator<Buffer> {
    const { clock, pingAfterMs = DEFAULT_PING_AFTER_MS } = this.#options;
    const socket = this.#socket;
    const chunks = socket.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    for (;;) {
      const giveUp = (): void => void socket.destroy(new Error('it does not answer pings'));
      let timer = clock.timer(pingAfterMs, () => {
        void this.#writes.write(frame(OPCODE.ping, new Uint8Array(), this.#mask()));
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

type DataWord = Extract<FrameWord, { readonly type: 'data' }>;

function brokenProtocol(): WebSocketError {
  return new WebSocketError(CLOSE_CODE.protocolError, 'The other side does not keep to the protocol');
}

const FIRST_ROOM_BYTES = 4 * 1024;

/** The bytes of a message so far, in one place however many parts they come in. */
class PartialMessage {
  #room: Buffer = Buffer.alloc(0);
  length = 0;

  add(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(FIRST_ROOM_BYTES, 2 * this.#room.length, length));
      room.set(this.#room.subarray(0, this.length));
      this.#room = room;
    }
    this.#room.set(bytes, this.length);
    this.length = length;
  }

  /** The whole message, with its last part; begins the next one. */
  take(last: Uint8Array): Uint8Array {
    this.add(last);
    const whole = this.#room.subarray(0, this.length);
    this.#room = Buffer.alloc(0);
    this.length = 0;
    return whole;
  }
}
