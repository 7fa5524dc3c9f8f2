import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onAbort } from '../abort-scope.ts';
import type { TransportRequest } from '../transport.ts';
import { messageOf, TransportError } from '../transport-error.ts';
import type { HttpExchange } from './http-exchange.ts';

export interface Http1Options {
  readonly origin: string;
  readonly host: string;
  /** More requests than this at a time wait; each takes a connection of its own. */
  readonly maxSockets: number;
  /** Opens a connection. */
  readonly open: () => Promise<Socket>;
}

/** Requests over HTTP/1.1, for servers and proxies that know nothing better: one connection a request, kept for the next. */
export class Http1Requests {
  readonly #options: Http1Options;
  readonly #agent: DialingAgent;

  constructor(options: Http1Options) {
    this.#options = options;
    this.#agent = new DialingAgent(options);
  }

  request(request: TransportRequest, path: string): Promise<HttpExchange> {
    const { origin, host } = this.#options;
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        agent: this.#agent,
        method: request.method,
        path,
        headers: { ...(request.headers as Record<string, string | string[]>), host },
      });
      const aborting = onAbort(request.signal, () => sent.destroy(new Error('Aborted')));
      sent.once('close', () => aborting[Symbol.dispose]());
      sent.once('error', (error) => reject(request.signal.aborted ? request.signal.reason : failure(error, origin)));
      sent.once('response', (response) => {
        const chunks = read(response, request.signal, origin);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, chunks });
      });
      if (request.body === undefined) sent.end();
      else sent.end(request.body);
    });
  }

  destroy(): void {
    this.#agent.destroy();
  }
}

/** Node's agent, with connections made our way: through proxies, with our certificates. */
class DialingAgent extends Agent {
  readonly #open: () => Promise<Socket>;

  constructor({ open, maxSockets }: Http1Options) {
    super({ keepAlive: true, maxSockets });
    this.#open = open;
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

function failure(error: unknown, origin: string): TransportError {
  if (error instanceof TransportError) return error;
  return new TransportError('cut', `Lost the connection to "${origin}": ${messageOf(error)}`, { cause: error });
}
