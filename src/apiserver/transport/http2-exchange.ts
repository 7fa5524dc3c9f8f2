import { constants, sensitiveHeaders } from 'node:http2';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { ClientCertificate } from '../request/call.ts';
import { bodyTooLarge, declaredLength, readBody, streamBody } from './body-reader.ts';
import type { Connection } from './connection.ts';
import type { Exchange, Head } from './exchange.ts';
import { LINGER_MS } from './limits.ts';

export interface Http2Headers {
  readonly joined: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly raw: readonly string[];
}

/** A stream of HTTP/2. */
export class Http2Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  readonly output: ServerHttp2Stream;
  readonly isUpgrade = false;
  readonly #headers: Http2Headers;
  #isBodyStreamed = false;

  constructor(stream: ServerHttp2Stream, headers: Http2Headers, connection: Connection) {
    this.output = stream;
    this.connection = connection;
    this.#headers = headers;
    this.method = headers.joined[':method'] ?? '';
    this.target = headers.joined[':path'] ?? '';
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
    const { joined } = this.#headers;
    const value = name === 'host' ? (joined[':authority'] ?? joined.host) : joined[name];
    return typeof value === 'string' || value === undefined ? value : value.join(', ');
  }

  headers(name: string): readonly string[] {
    const values: string[] = [];
    const { raw } = this.#headers;
    for (let index = 0; index < raw.length; index += 2) {
      if (raw[index] === name) values.push(raw[index + 1] as string);
    }
    return values;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#headers.joined).filter((name) => !name.startsWith(':'));
  }

  hasHeader(test: (name: string) => boolean): boolean {
    for (const name in this.#headers.joined) if (!name.startsWith(':') && test(name)) return true;
    return false;
  }

  body(limit: number): Promise<Uint8Array> {
    const declared = declaredLength(this.header('content-length'));
    if (declared !== undefined && declared > limit) return Promise.reject(bodyTooLarge(limit));
    this.#letSend();
    return readBody(this.output, { limit, isWhole: () => !this.output.aborted });
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    this.#letSend();
    this.#isBodyStreamed = true;
    return streamBody(this.output, () => !this.output.aborted);
  }

  takeOver(): never {
    throw new Error('Cannot take over a stream of HTTP/2: extended CONNECT (RFC 8441) is not offered');
  }

  send(head: Head, body: Uint8Array | undefined): void {
    const stream = this.output;
    if (stream.closed || stream.destroyed) return;
    if (body === undefined) {
      stream.respond(http2Headers(head), { endStream: true });
    } else {
      stream.respond(http2Headers(head));
      stream.end(body);
    }
    if (!stream.endAfterHeaders) this.#discardInput();
  }

  start(head: Head): void {
    const stream = this.output;
    if (stream.closed || stream.destroyed) return;
    stream.respond(http2Headers(head));
    stream.once('aborted', () => stream.destroy()); // Node itself would wait for what is left to be read, for ever
    if (this.#isBodyStreamed) stream.once('finish', () => this.#discardInput());
    else if (!stream.endAfterHeaders) this.#discardInput();
  }

  /** Not by `close(code)`: Node would send the end of the stream before the reset, and half an answer would look whole. */
  cut(): void {
    this.output.destroy(new Error('The answer was cut off'));
  }

  onClose(closed: (isFlushed: boolean) => void): void {
    const stream = this.output;
    stream.on('close', () => closed(isFlushed(stream)));
  }

  /** A client may wait to be told before it sends its body. */
  #letSend(): void {
    if (this.header('expect')?.toLowerCase() === '100-continue' && !this.output.closed) {
      this.output.additionalHeaders({ ':status': 100 });
    }
  }

  /** Lets the client finish sending what nobody will read, for a while; then tells it to stop (RFC 9113, 8.1). */
  #discardInput(): void {
    const stream = this.output;
    if (stream.readableEnded) return;
    stream.resume();
    if (stream.writableFinished) this.#closeSoon();
    else stream.once('finish', () => this.#closeSoon());
  }

  #closeSoon(): void {
    const stream = this.output;
    if (stream.closed) return;
    const timer = this.connection.clock.timer(LINGER_MS, () => stream.close(constants.NGHTTP2_NO_ERROR));
    stream.once('close', () => timer[Symbol.dispose]());
  }
}

/**
 * Never in the table for compression: each answer has another, and each would push out of the table what answers have
 * in common, which costs up to a fifth of the time of a small answer.
 */
const NOT_INDEXED = ['audit-id'];

function http2Headers(head: Head): OutgoingHttpHeaders {
  const { headers } = head;
  headers[':status'] = head.code;
  (headers as Record<symbol, readonly string[]>)[sensitiveHeaders] = NOT_INDEXED;
  return headers;
}

/**
 * Whether the whole answer went out. A stream whose two sides have ended may be closed before Node says that the last write
 * is finished, so an end without a reset counts as well.
 */
function isFlushed(stream: ServerHttp2Stream): boolean {
  return stream.writableFinished || (stream.writableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR);
}
