import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { handshake } from '../../wire/websocket/index.ts';
import type { ClientCertificate } from '../request/call.ts';
import type { Connection } from './connection.ts';
import { eventFraming } from './event-splitter.ts';
import type { Exchange, Head, Output } from './exchange.ts';
import type { Http1Exchange } from './http1-exchange.ts';
import { rawAnswer } from './raw-answer.ts';
import { WebSocketOutput } from './websocket-output.ts';

/** A watch over WebSocket. Whatever is not the stream of a watch, such as a refusal, is answered as plain HTTP. */
export class WebSocketExchange implements Exchange {
  readonly #plain: Http1Exchange;
  readonly #socket: TLSSocket;
  /** What the client sent right behind its request. */
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

  get output(): Output {
    return this.#output ?? this.#plain.output;
  }

  header(name: string): string | undefined {
    return this.#plain.header(name);
  }

  headers(name: string): readonly string[] {
    return this.#plain.headers(name);
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
