import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { CLOSE_CODE, closeFrame, frame, FrameReader, handshake, OPCODE } from '../../wire/websocket/index.ts';
import type { ClientCertificate } from '../request/incoming-request.ts';
import type { Connection } from './connection.ts';
import { eventFraming, type EventFraming, EventSplitter } from './event-splitter.ts';
import type { Exchange, Head, Output } from './exchange.ts';
import { type Http1Exchange, rawAnswer } from './http1-exchange.ts';

/** A watch over WebSocket. Answers that are not the stream of a watch, such as a refusal, are sent as plain HTTP. */
export class WebSocketExchange implements Exchange {
  readonly #plain: Http1Exchange;
  readonly #socket: TLSSocket;
  /** The bytes that the client sent after its request. */
  readonly #first: Uint8Array;
  #output: WebSocketOutput | undefined;

  constructor(plain: Http1Exchange, socket: TLSSocket, first: Uint8Array) {
    this.#plain = plain;
    this.#socket = socket;
    this.#first = first;
  }

  get method(): string {
    return this.#plain.method;
  }

  get target(): string {
    return this.#plain.target;
  }

  get connection(): Connection {
    return this.#plain.connection;
  }

  get remoteAddress(): string {
    return this.#plain.remoteAddress;
  }

  get certificate(): ClientCertificate | 'invalid' | undefined {
    return this.#plain.certificate;
  }

  get proxyCertificate(): ClientCertificate | undefined {
    return this.#plain.proxyCertificate;
  }

  get output(): Output {
    return this.#output ?? this.#plain.output;
  }

  header(name: string): string | undefined {
    return this.#plain.header(name);
  }

  headers(name: string): readonly string[] {
    return this.#plain.headers(name);
  }

  headerNames(): readonly string[] {
    return this.#plain.headerNames();
  }

  hasHeader(test: (name: string) => boolean): boolean {
    return this.#plain.hasHeader(test);
  }

  body(limit: number): Promise<Uint8Array> {
    return this.#plain.body(limit);
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    return this.#plain.bodyStream();
  }

  get isUpgrade(): boolean {
    return this.#plain.isUpgrade;
  }

  takeOver(head: Head): Duplex {
    return this.#plain.takeOver(head);
  }

  send(head: Head, body: Uint8Array | undefined): void {
    this.#plain.send(head, body);
  }

  start(head: Head): void {
    const framing = eventFraming(head.headers['content-type']);
    if (head.code !== 200 || framing === undefined) {
      this.#plain.start(head);
      return;
    }
    const answer = handshake((name) => this.header(name));
    this.#output = new WebSocketOutput(this.#socket, framing);
    if (this.#socket.destroyed) return;
    this.#socket.write(rawAnswer(answer.code, answer.headers, answer.body));
    if (answer.code === 101) this.#output.listen(this.#first);
    else this.#socket.destroySoon();
  }

  cut(): void {
    this.#socket.destroy();
  }

  onClose(closed: (isFlushed: boolean) => void): void {
    this.#socket.once('close', () => {
      closed(this.#output === undefined ? this.#plain.output.writableFinished : this.#socket.writableFinished);
    });
  }
}

/** Above this, a client that pings without reading gets no more pongs. */
const MAX_BUFFERED_PONG_BYTES = 64 * 1024;

/** Sends the events of a watch as WebSocket messages, one each: text for JSON, binary for protobuf. */
class WebSocketOutput implements Output {
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

  /** Handles the client's frames from now on: pings, and close. */
  listen(first: Uint8Array): void {
    const input = new FrameReader('client');
    const hear = (chunk: Uint8Array): void => {
      let ping: Uint8Array | undefined;
      for (const word of input.read(chunk)) {
        if (word.type === 'ping') ping = word.payload;
        else if (word.type === 'close') this.#close(CLOSE_CODE.normal);
        else if (word.type === 'broken') this.#close(CLOSE_CODE.protocolError);
      }
      if (ping !== undefined) this.#answerPing(ping); // the newest stands for all (RFC 6455, section 5.5.3)
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
