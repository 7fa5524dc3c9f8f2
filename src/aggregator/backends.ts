import { sendRepeatable, type UserInfo, transportErrorText, type WebhookClient } from '../apiserver/index.ts';
import { AbortScope, type Clock } from '../base/index.ts';
import {
  type DialAddress,
  gunzipped,
  type HttpClient,
  type HttpExchange,
  type HttpRequest,
} from '../wire/http/index.ts';
import { identityHeaders } from './identity-headers.ts';
import type { RemoteService } from './registered-service.ts';

export interface BackendsOptions {
  readonly clock: Clock;
  /** Keeps the connections; presents the front-proxy certificate. */
  readonly connections: WebhookClient;
  readonly resolve: (service: RemoteService['service']) => Promise<DialAddress>;
  /** Servers of this process by the host of their Service: they are called without a connection. */
  readonly local?: (host: string) => LocalBackend | undefined;
}

/** Answers a request as a server would over HTTP. */
export type LocalBackend = (request: HttpRequest) => Promise<HttpExchange>;

/** Calls a server. */
export type BackendClient = Pick<HttpClient, 'request' | 'upgrade'>;

/** Connections to one server behind an APIService. */
export interface Backend {
  readonly client: BackendClient;
  /** `https://host:port`, for messages. */
  readonly origin: string;
  readonly host: string;
}

/** A document that this server requests from another server as `user`. */
export interface DocumentRequest {
  readonly path: string;
  readonly user: UserInfo;
  readonly accept?: string;
  readonly etag?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface FetchedDocument {
  readonly status: number;
  readonly header: (name: string) => string;
  readonly body: Buffer;
}

/** The servers behind APIServices. */
export class Backends {
  readonly #options: BackendsOptions;

  constructor(options: BackendsOptions) {
    this.#options = options;
  }

  /** One of the servers of a service. Rejects when there is none, or its CA bundle is invalid. */
  async find({ service, caBundle, isInsecure }: RemoteService): Promise<Backend> {
    const address = await this.#options.resolve(service);
    const { host, port } = address;
    const hostAndPort = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const origin = `https://${hostAndPort}`;
    const local = this.#options.local?.(host);
    if (local !== undefined) return { client: { request: local, upgrade: local }, origin, host: hostAndPort };
    const client = this.#options.connections.connectionsTo({
      url: origin,
      address,
      serverName: `${service.name}.${service.namespace}.svc`,
      isInsecure,
      ...(caBundle === undefined ? {} : { caBundle }),
    });
    return { client, origin, host: hostAndPort };
  }

  /** Fetches a document completely, with limits of time and size. Failures are worded as Go's client does. */
  async fetch(backend: Backend, request: DocumentRequest): Promise<FetchedDocument> {
    const { path, user, accept = 'application/json', etag, timeoutMs, maxBytes } = request;
    using scope = new AbortScope(request.signal);
    using _timeUp = this.#options.clock.timer(timeoutMs, () => scope.abort(new TimeUp()));
    const headers = {
      accept,
      'accept-encoding': 'gzip',
      'user-agent': 'keelson',
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...identityHeaders(user),
    };
    try {
      const exchange = await sendRepeatable(backend.client, { method: 'GET', path, headers, signal: scope.signal });
      const header = (name: string): string => String(exchange.headers[name] ?? '');
      return { status: exchange.status, header, body: await readAll(exchange, maxBytes) };
    } catch (error) {
      const words = scope.signal.aborted ? abortWords(scope.signal) : transportErrorText(error);
      throw new Error(`Get "${backend.origin}${path}": ${words}`, { cause: error });
    }
  }
}

class TimeUp extends Error {}

function abortWords({ reason }: AbortSignal): string {
  return reason instanceof TimeUp
    ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    : 'context canceled';
}

async function readAll(exchange: HttpExchange, maxBytes: number): Promise<Buffer> {
  const isPacked = exchange.headers['content-encoding'] === 'gzip';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of isPacked ? gunzipped(exchange.chunks) : exchange.chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
