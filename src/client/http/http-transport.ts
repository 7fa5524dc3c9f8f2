import { type Clock, messageOf, RealClock } from '../../base/index.ts';
import {
  gunzipped,
  HttpClient,
  type HttpClientOptions,
  type HttpExchange,
  isTransportError,
  TransportError,
  type UpgradedConnection,
} from '../../wire/http/index.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import {
  type Credential,
  type Credentials,
  FixedCredentials,
  type PemSource,
  WatchedFile,
} from '../credentials/index.ts';
import { headerOf, type Transport, type TransportRequest, type TransportResponse } from '../transport.ts';

export type HttpTransportOptions = Pick<
  HttpClientOptions,
  'maxConnections' | 'maxWaiting' | 'maxSockets' | 'isHttp1Only'
> & { readonly clock?: Clock };

/** A request as it travels, whatever its body. */
type SentRequest = Pick<TransportRequest, 'headers' | 'path' | 'signal'>;

/**
 * Sends requests over the network: HTTP/2 where the server supports it, else HTTP/1.1.
 *
 * Adds credentials; after a 401 it renews them and sends the request once more.
 */
export class HttpTransport implements Transport {
  readonly #basePath: string;
  readonly #isSecure: boolean;
  readonly #credentials: Credentials;
  readonly #acceptsGzip: boolean;
  readonly #clientOptions: Omit<HttpClientOptions, 'certificate'>;
  #client: HttpClient | undefined;
  #isClosed = false;

  constructor(connection: ClusterConnection, options: HttpTransportOptions = {}) {
    const { clock = new RealClock() } = options;
    const server = new URL(connection.server);
    this.#basePath = server.pathname.replace(/\/+$/, '');
    this.#isSecure = server.protocol === 'https:';
    this.#credentials = this.#isSecure ? (connection.credentials ?? new FixedCredentials()) : new FixedCredentials();
    this.#acceptsGzip = connection.disableCompression !== true;
    this.#clientOptions = {
      target: {
        server,
        serverName: connection.tlsServerName,
        insecureSkipTlsVerify: connection.insecureSkipTlsVerify,
        proxyUrl: connection.proxyUrl,
      },
      authorities: authorityReader(connection.certificateAuthority, clock),
      ...options,
      clock,
    };
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const exchange = await this.ask(request, (client, { headers, ...rest }) => {
      const encoding: TransportRequest['headers'] = this.#acceptsGzip ? { 'accept-encoding': 'gzip' } : {};
      return client.request({ ...rest, headers: { ...encoding, ...headers } });
    });
    const { status, headers, chunks } = exchange;
    const isPacked = headerOf(headers, 'content-encoding') === 'gzip';
    return { status, headers, body: { type: 'bytes', chunks: isPacked ? gunzipped(chunks) : chunks } };
  }

  /** Lets `exchange` send a request that has the credentials; after a 401 that renews them, once more. */
  async ask<Request extends SentRequest, Answer extends HttpExchange | UpgradedConnection>(
    request: Request,
    exchange: (client: HttpClient, request: Request) => Promise<Answer>,
  ): Promise<Answer> {
    const { signal } = request;
    const attempt = (credential: Credential): Promise<Answer> => {
      signal.throwIfAborted();
      const { authorization } = credential;
      const headers = { ...(authorization === undefined ? {} : { authorization }), ...request.headers };
      return exchange(this.#clientFor(credential), { ...request, headers, path: this.#basePath + request.path });
    };
    signal.throwIfAborted();
    const credential = await this.#credentials.current(signal);
    const answer = await attempt(credential);
    if (answer.status !== 401 || !(await this.#isRenewed(credential, signal))) return answer;
    if ('chunks' in answer) for await (const _rest of answer.chunks) break; // discard the body of the 401
    return attempt(await this.#credentials.current(signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#client?.destroy();
  }

  async #isRenewed(refused: Credential, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#credentials.renew(refused, signal);
    } catch (error) {
      if (isTransportError(error, 'credentials')) return false; // the server's 401 explains more
      throw error;
    }
  }

  /** A new certificate needs new connections; requests in flight on the old ones continue. */
  #clientFor({ certificate }: Credential): HttpClient {
    if (this.#isClosed) throw new TransportError('closed', 'Cannot send: the client has been closed');
    const current = this.#client;
    if (current !== undefined && current.certificate?.certificate === certificate?.certificate) return current;
    current?.drain();
    this.#client = new HttpClient({ ...this.#clientOptions, certificate });
    return this.#client;
  }
}

function authorityReader(source: PemSource | undefined, clock: Clock): () => Promise<string | undefined> {
  if (source === undefined) return async () => undefined;
  if ('pem' in source) return async () => source.pem;
  const file = new WatchedFile(source.path, clock);
  return async () => {
    try {
      return await file.read();
    } catch (cause) {
      const message = `Cannot read certificate authority file "${source.path}": ${messageOf(cause)}`;
      throw new TransportError('credentials', message, { cause });
    }
  };
}
