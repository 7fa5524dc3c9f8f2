import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf, onAbort } from '../../base/index.ts';
import { type HttpExchange, type HttpRequest, type ResponseHeaders, sendBody } from './http-exchange.ts';
import { TransportError } from './transport-error.ts';

/** As in Go's HTTP client: an idle connection is closed after this time. Node measures it, and only for idle connections. */
const CLOSE_IDLE_AFTER_MS = 90_000;

export interface Http1Options {
  readonly origin: string;
  readonly host: string;
  /** The largest number of concurrent requests, one connection each; more have to wait. More upgraded connections are refused. */
  readonly maxSockets: number;
  /** Opens a connection. */
  readonly open: () => Promise<Duplex>;
}

/** A connection after its upgrade to another protocol. The caller owns it and has to close it. */
export interface UpgradedConnection {
  readonly status: 101;
  readonly headers: ResponseHeaders;
  readonly socket: Duplex;
}

/**
 * Requests over HTTP/1.1, for servers and proxies without HTTP/2: one connection per concurrent request, reused for later
 * ones.
 */
export class Http1Requests {
  readonly #options: Http1Options;
  readonly #agent: DialingAgent;
  readonly #upgraded = new Set<Duplex>();

  constructor(options: Http1Options) {
    this.#options = options;
    this.#agent = new DialingAgent(options);
  }

  request(request: HttpRequest): Promise<HttpExchange> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(request, reject);
      sent.once('response', (response) => resolve(this.#exchange(response, request.signal)));
      sendBody(sent, request.body);
    });
  }

  /** Asks for the protocol in the headers; a response other than 101 is returned as it is. */
  upgrade(request: HttpRequest): Promise<UpgradedConnection | HttpExchange> {
    const { maxSockets } = this.#options;
    if (this.#upgraded.size >= maxSockets) {
      const message = `Cannot send: ${maxSockets} upgraded connections are open already`;
      return Promise.reject(new TransportError('refused', message));
    }
    return new Promise((resolve, reject) => {
      const sent = this.#send(request, reject);
      sent.once('response', (response) => resolve(this.#exchange(response, request.signal)));
      sent.once('upgrade', ({ headers }, socket, first) => {
        this.#upgraded.add(socket);
        socket.once('close', () => this.#upgraded.delete(socket));
        socket.on('error', () => undefined); // the owner sees the close
        if (first.length > 0) socket.unshift(first);
        resolve({ status: 101, headers, socket });
      });
      sendBody(sent, request.body);
    });
  }

  /** Closes idle connections; requests in flight finish. */
  drain(): void {
    this.#agent.drain();
  }

  destroy(): void {
    this.#agent.destroy();
    for (const socket of this.#upgraded) socket.destroy();
  }

  #send(request: HttpRequest, fail: (error: unknown) => void): ClientRequest {
    const { origin, host } = this.#options;
    const { method, path, headers, signal } = request;
    const sent = httpRequest({
      agent: this.#agent,
      method,
      path,
      headers: { host, ...(headers as Record<string, string | string[]>) },
    });
    const aborting = onAbort(signal, () => sent.destroy(new Error('Aborted')));
    sent.once('close', () => aborting[Symbol.dispose]());
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const wasKept = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      fail(signal.aborted ? signal.reason : failure(error, origin, wasKept));
    });
    return sent;
  }

  #exchange(response: IncomingMessage, signal: AbortSignal): HttpExchange {
    const chunks = read(response, signal, this.#options.origin);
    return { status: response.statusCode ?? 0, headers: response.headers, chunks };
  }
}

/** Node's agent, with connections from `open`: through proxies, with the client's certificates. */
class DialingAgent extends Agent {
  readonly #open: () => Promise<Duplex>;

  constructor({ open, maxSockets }: Http1Options) {
    super({ keepAlive: true, maxSockets, timeout: CLOSE_IDLE_AFTER_MS });
    this.#open = open;
  }

  drain(): void {
    this.maxFreeSockets = 0;
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  /** Returns nothing: the socket comes through `done`, as Node allows and its types do not. */
  override createConnection(_options: unknown, done?: (error: Error | null, socket: Duplex) => void): Duplex {
    const nothing = undefined as unknown as Duplex;
    this.#open().then(
      (socket) => done?.(null, socket),
      (error: Error) => done?.(error, nothing),
    );
    return nothing;
  }
}

async function* read(response: IncomingMessage, signal: AbortSignal, origin: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk as Buffer;
  } catch (error) {
    throw signal.aborted ? signal.reason : failure(error, origin);
  } finally {
    response.destroy();
  }
  if (signal.aborted) throw signal.reason;
}

function failure(cause: unknown, origin: string, wasKept = false): TransportError {
  if (cause instanceof TransportError) return cause;
  return new TransportError('cut', `Lost the connection to "${origin}": ${messageOf(cause)}`, { cause, wasKept });
}
