import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../request/incoming-request.ts';
import { bodyTooLarge, declaredLength, discardBody, readBody, streamBody } from './body-reader.ts';
import type { Connection } from './connection.ts';
import type { Exchange, Head } from './exchange.ts';
import { LINGER_MS, MAX_DISCARDED_BYTES } from './limits.ts';

export interface Http1Request {
  readonly message: IncomingMessage;
  readonly target: string;
  /** Whether the client waits for permission to send its body (`expect: 100-continue`). */
  readonly waitsToSend: boolean;
  /** Set when the client asks to switch protocols, with the bytes that it sent after its request. */
  readonly upgrade?: { readonly socket: TLSSocket; readonly first: Uint8Array };
}

/** An HTTP/1.1 request and its response. */
export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  readonly output: ServerResponse;
  readonly #request: IncomingMessage;
  readonly #upgrade: Http1Request['upgrade'];
  #waitsToSend: boolean;
  #isBodyStreamed = false;
  #isTakenOver = false;

  constructor(request: Http1Request, response: ServerResponse, connection: Connection) {
    this.method = request.message.method ?? '';
    this.target = request.target;
    this.connection = connection;
    this.output = response;
    this.#request = request.message;
    this.#waitsToSend = request.waitsToSend;
    this.#upgrade = request.upgrade;
    response.on('error', ignore);
  }

  get remoteAddress(): string {
    return this.connection.remoteAddress;
  }

  get certificate(): ClientCertificate | 'invalid' | undefined {
    return this.connection.certificate;
  }

  get proxyCertificate(): ClientCertificate | undefined {
    return this.connection.proxyCertificate;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' || value === undefined ? value : value.join(', ');
  }

  headers(name: string): readonly string[] {
    return this.#request.headersDistinct[name] ?? [];
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#request.headers);
  }

  hasHeader(test: (name: string) => boolean): boolean {
    for (const name in this.#request.headers) if (test(name)) return true;
    return false;
  }

  body(limit: number): Promise<Uint8Array> {
    const declared = declaredLength(this.header('content-length'));
    if (declared !== undefined && declared > limit) return Promise.reject(bodyTooLarge(limit));
    this.#sendContinue();
    return readBody(this.#request, { limit, isWhole: () => this.#request.complete });
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    this.#sendContinue();
    this.#isBodyStreamed = true;
    return streamBody(this.#request, () => this.#request.complete);
  }

  get isUpgrade(): boolean {
    return this.#upgrade !== undefined;
  }

  takeOver(head: Head): Duplex {
    if (this.#upgrade === undefined) throw new Error('Cannot take over the connection: the client did not ask for it');
    const { socket, first } = this.#upgrade;
    this.#isTakenOver = true;
    this.output.detachSocket(socket);
    socket.setMaxListeners(0); // the handler adds more listeners
    socket.allowHalfOpen = true; // the client may end its side first, and continue reading
    if (socket.destroyed) return socket;
    socket.write(rawAnswer(head.code, head.headers));
    if (first.length > 0) socket.unshift(first);
    return socket;
  }

  send(head: Head, body: Uint8Array | undefined): void {
    const response = this.output;
    if (response.destroyed) return;
    this.#upgrade?.socket.resume(); // drops what it sends after its request
    const isBodyLeft = this.#isMuchLeftToRead();
    if (isBodyLeft || this.connection.isDraining) head.headers['connection'] = 'close';
    response.writeHead(head.code, head.headers);
    if (isBodyLeft) this.#endOnceRead(body);
    else if (body === undefined) response.end();
    else response.end(body);
  }

  start(head: Head): void {
    const response = this.output;
    if (response.destroyed) return;
    this.#upgrade?.socket.resume();
    if (this.connection.isDraining || (!this.#isBodyStreamed && this.#isMuchLeftToRead()))
      head.headers['connection'] = 'close';
    response.writeHead(head.code, head.headers);
    response.flushHeaders();
  }

  cut(): void {
    this.#request.socket.destroy();
  }

  onClose(closed: (isFlushed: boolean) => void): void {
    const response = this.output;
    const socket = this.#upgrade?.socket;
    if (socket === undefined) response.on('close', () => closed(response.writableFinished));
    else socket.once('close', () => closed(this.#isTakenOver ? socket.writableFinished : response.writableFinished));
  }

  /** A client may wait for permission before it sends its body. */
  #sendContinue(): void {
    if (this.#waitsToSend) this.output.writeContinue();
    this.#waitsToSend = false;
  }

  #isMuchLeftToRead(): boolean {
    if (this.#waitsToSend) return true;
    if (this.#request.complete) return false;
    return (declaredLength(this.header('content-length')) ?? Infinity) > MAX_DISCARDED_BYTES;
  }

  /** Closing while the client is still sending could lose it the answer: waits for the client, for at most `LINGER_MS`. */
  #endOnceRead(body: Uint8Array | undefined): void {
    const response = this.output;
    const request = this.#request;
    if (body === undefined) response.flushHeaders();
    else response.write(body);
    if (this.#waitsToSend) {
      response.end(); // it never got permission to send
      return;
    }
    const timer = this.connection.clock.timer(LINGER_MS, () => response.end());
    const end = (): void => {
      timer[Symbol.dispose]();
      response.end();
    };
    request.once('end', end).once('close', end);
    discardBody(request);
  }
}

function ignore(): void {
  // a client that disconnects is not an error; 'close' follows and is handled
}

/** An HTTP/1.1 answer as text, for a connection that Node's server has released. */
export function rawAnswer(code: number, headers: OutgoingHttpHeaders, body = ''): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${String(one)}\r\n`),
  );
  return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
