import type { IncomingMessage, ServerResponse } from 'node:http';
import { aborted, type Clock, type Logger, type Runnable } from '../../base/index.ts';
import { Listener } from '../../wire/listen/index.ts';

/** What is answered to a request. */
export interface ProxyAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface ProxyServerOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Whether a port that cannot be opened is a failure; default: it is tried again every 5 seconds. */
  readonly isRequired?: boolean;
  answer(request: ProxyQuestion): ProxyAnswer | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the port is open. */
  onListening?(address: { readonly host: string; readonly port: number }): void;
  /** Called with the reason when a required port cannot be opened. */
  onFailure?(error: unknown): void;
}

export interface ProxyQuestion {
  readonly path: string;
  readonly accept: string;
}

const LIMITS = { maxConnections: 256, headersTimeoutMs: 10_000, requestTimeoutMs: 10_000 };
const RETRY_MS = 5000;
const NOT_FOUND: ProxyAnswer = { status: 404, contentType: 'text/plain; charset=utf-8', text: '404 page not found\n' };

/** A plain HTTP port of a proxy. */
export class ProxyServer implements Runnable {
  readonly #options: ProxyServerOptions;

  constructor(options: ProxyServerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { name, host, port, isRequired = false, clock, log } = this.#options;
    while (!signal.aborted) {
      const listener = new Listener({ limits: LIMITS, http1: { request: (...pair) => this.#respond(...pair) } });
      try {
        const address = await listener.open(host, port);
        this.#options.onListening?.({ host: address.address, port: address.port });
      } catch (error) {
        if (isRequired) {
          this.#options.onFailure?.(error);
          throw error;
        }
        log.error('port of the proxy cannot be opened', { server: name, host, port, error });
        await clock.sleep(RETRY_MS, signal);
        continue;
      }
      await aborted(signal);
      await listener.end();
    }
  }

  #respond({ method, url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const question = { path: url.split('?')[0] ?? '', accept: headers.accept ?? '' };
    const { status, contentType, text } = this.#options.answer(question) ?? NOT_FOUND;
    response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' });
    response.end(method === 'HEAD' ? undefined : text);
  }
}
