import type { TLSSocket } from 'node:tls';
import { CLOSE_CODE, closeFrame, frame, FrameReader, OPCODE } from '../../wire/websocket/index.ts';
import { type EventFraming, EventSplitter } from './event-splitter.ts';
import type { Output } from './exchange.ts';

/** Above this, a client that pings and does not read gets no more answers to its pings. */
const MAX_BUFFERED_PONG_BYTES = 64 * 1024;

/** The events of a watch as messages of WebSocket, one each: text for JSON, binary for protobuf. */
export class WebSocketOutput implements Output {
  readonly #socket: TLSSocket;
  readonly #splitter: EventSplitter;
  readonly #opcode: number;

  constructor(socket: TLSSocket, framing: EventFraming) {
    this.#socket = socket;
    this.#splitter = new EventSplitter(framing);
    this.#opcode = framing === 'lines' ? OPCODE.text : OPCODE.binary;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  write(chunk: Uint8Array): boolean {
    if (!this.#socket.writable) return false;
    let hasRoom = true;
    for (const event of this.#splitter.split(chunk)) hasRoom = this.#socket.write(frame(this.#opcode, event));
    return hasRoom;
  }

  end(): void {
    this.#close(CLOSE_CODE.normal);
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  on(event: 'drain' | 'close', listener: () => void): unknown {
    return this.#socket.on(event, listener);
  }

  /** Heeds what the client says from now on: it may ping, and close. */
  listen(first: Uint8Array): void {
    const input = new FrameReader('client');
    const hear = (chunk: Uint8Array): void => {
      for (const word of input.read(chunk)) {
        if (word.type === 'ping') this.#answerPing(word.payload);
        else if (word.type === 'close') this.#close(CLOSE_CODE.normal);
        else if (word.type === 'broken') this.#close(CLOSE_CODE.protocolError);
      }
    };
    this.#socket.on('data', hear).on('end', () => this.#socket.destroySoon());
    hear(first);
  }

  #answerPing(payload: Uint8Array): void {
    const { writable, writableLength } = this.#socket;
    if (writable && writableLength < MAX_BUFFERED_PONG_BYTES) this.#socket.write(frame(OPCODE.pong, payload));
  }

  #close(code: number): void {
    if (!this.#socket.writable) return;
    this.#socket.removeAllListeners('data').resume();
    this.#socket.write(closeFrame(code));
    this.#socket.destroySoon();
  }
}
