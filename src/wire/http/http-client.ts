import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AbortScope, type Clock } from '../../base/index.ts';
import { ConnectionPool } from './connection-pool.ts';
import { agreedProtocol, type ClientCertificate, dial, type DialOptions, type DialTarget } from './dial.ts';
import { Http1Requests, type UpgradedConnection } from './http1-requests.ts';
import { Http2Connection, type Http2Events } from './http2-connection.ts';
import type { HttpExchange, HttpRequest } from './http-exchange.ts';
import { TransportError } from './transport-error.ts';

/** The connect timeout of client-go. */
const CONNECT_TIMEOUT_MS = 30_000;

export interface HttpClientOptions {
  readonly target: DialTarget;
  /** PEM of the trusted authorities, read for every connection; default those of the system. */
  readonly authorities?: () => Promise<string | undefined>;
  readonly certificate?: ClientCertificate;
  readonly clock: Clock;
  /** HTTP/2 connections; a second one is opened only when the first has the most streams that the server allows. Default 8. */
  readonly maxConnections?: number;
  /** Requests that may wait for a stream; further ones fail. Default 10,000. */
  readonly maxWaiting?: number;
  /** HTTP/1.1 connections, one per concurrent request, and as many upgraded ones. Default 256. */
  readonly maxSockets?: number;
  /** Never offers HTTP/2. */
  readonly isHttp1Only?: boolean;
  /** Opens connections for HTTP/1.1; default `dial`. Servers that pass on streams use a `streamDialer`. */
  readonly dialHttp1?: (target: DialTarget, options: DialOptions) => Promise<Duplex>;
}

/** Thrown to requests that wait for HTTP/2 when the server turns out not to support it. */
class NoHttp2 extends Error {}

/** All connections to one server with one client certificate. The first one shows which protocol the server speaks. */
export class HttpClient {
  readonly certificate: ClientCertificate | undefined;
  readonly #options: HttpClientOptions;
  readonly #lifetime = new AbortScope();
  readonly #pool: ConnectionPool;
  readonly #http1: Http1Requests;
  #isHttp1: boolean;
  /** The connection on which HTTP/1.1 was negotiated; the first request uses it. */
  #spare: Socket | undefined;

  constructor(options: HttpClientOptions) {
    const { target, certificate, maxConnections = 8, maxWaiting = 10_000, maxSockets = 256 } = options;
    this.certificate = certificate;
    this.#options = options;
    this.#isHttp1 = options.isHttp1Only === true || target.server.protocol === 'http:';
    this.#pool = new ConnectionPool({ maxConnections, maxWaiting, open: (events) => this.#openHttp2(events) });
    this.#http1 = new Http1Requests({
      origin: target.server.origin,
      host: target.server.host,
      maxSockets,
      open: () => this.#openHttp1(),
    });
  }

  /** Scheme, host and port of the server. */
  get origin(): string {
    return this.#options.target.server.origin;
  }

  /**
   * Resolves when the response head has arrived, with any status; rejects with a `TransportError`, or with the reason of the
   * request's signal. Redirects are not followed.
   */
  async request(request: HttpRequest): Promise<HttpExchange> {
    if (!this.#isHttp1) {
      try {
        return await this.#pool.request((connection) => connection.request(request), request.signal);
      } catch (error) {
        if (!(error instanceof NoHttp2)) throw error;
      }
    }
    return this.#http1.request(request);
  }

  /** Asks for an upgrade on a separate HTTP/1.1 connection; see `Http1Requests.upgrade`. */
  upgrade(request: HttpRequest): Promise<UpgradedConnection | HttpExchange> {
    return this.#http1.upgrade(request);
  }

  /** Closes idle connections, and accepts no more requests over HTTP/2; those in flight may finish. */
  drain(): void {
    this.#pool.drain();
    this.#http1.drain();
    this.#spare?.destroy();
  }

  destroy(): void {
    this.#lifetime.abort(new TransportError('closed', 'Cannot connect: the client has been closed'));
    this.#pool.destroy();
    this.#http1.destroy();
    this.#spare?.destroy();
  }

  async #openHttp2(events: Http2Events): Promise<Http2Connection> {
    const { target, clock } = this.#options;
    const socket = await this.#dialWith(dial, ['h2', 'http/1.1']);
    if (agreedProtocol(socket) === 'h2') {
      return Http2Connection.open(socket, { origin: target.server.origin, clock, events });
    }
    this.#isHttp1 = true;
    this.#spare = socket;
    socket.once('close', () => (this.#spare = undefined));
    throw new NoHttp2();
  }

  async #openHttp1(): Promise<Duplex> {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? this.#dialWith<Duplex>(this.#options.dialHttp1 ?? dial, ['http/1.1']);
  }

  async #dialWith<S>(
    open: (target: DialTarget, options: DialOptions) => Promise<S>,
    protocols: readonly string[],
  ): Promise<S> {
    const { target, certificate, authorities, clock } = this.#options;
    const { origin } = target.server;
    using scope = new AbortScope(this.#lifetime.signal);
    using _timeUp = clock.timer(CONNECT_TIMEOUT_MS, () =>
      scope.abort(
        new TransportError('connect', `Cannot connect to "${origin}": no answer in ${CONNECT_TIMEOUT_MS} ms`),
      ),
    );
    const { signal } = scope;
    return await open(target, { authorities: await authorities?.(), certificate, protocols, signal });
  }
}
