import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  aborted,
  METRIC_CONTENT_TYPES,
  MetricRegistry,
  negotiateMetricFormat,
  type Runnable,
} from '../../base/index.ts';

export interface HealthOptions {
  /** 127.0.0.1 unless given; probes of a kubelet need `0.0.0.0`. */
  readonly host?: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Called with the address once the server listens. */
  onListening?(address: { readonly host: string; readonly port: number }): void;
}

/** What is asked of the app. */
export interface HealthSource {
  /** What keeps the app from being ready; nothing when it is. */
  readonly unready: readonly string[];
  readonly registries: readonly MetricRegistry[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

/** Answers probes and scrapes over plain HTTP: `/healthz`, `/livez`, `/readyz`, `/metrics`. */
export class HealthServer implements Runnable {
  readonly #options: HealthOptions;
  readonly #source: HealthSource;

  constructor(options: HealthOptions, source: HealthSource) {
    this.#options = options;
    this.#source = source;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { host = '127.0.0.1', port } = this.#options;
    const server = createServer({ requestTimeout: 10_000 }, (request, response) => this.#respond(request, response));
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address() as AddressInfo;
    this.#options.onListening?.({ host: address.address, port: address.port });
    await aborted(signal);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  #respond({ method, url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const isRead = method === 'GET' || method === 'HEAD';
    const {
      status,
      text,
      contentType = 'text/plain; charset=utf-8',
    } = isRead
      ? this.#answer(url.split('?')[0] ?? '', headers.accept ?? '')
      : { status: 405, text: 'method not allowed\n' };
    response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' });
    response.end(method === 'HEAD' ? undefined : text);
  }

  #answer(path: string, accept: string): Answer {
    switch (path) {
      case '/healthz':
      case '/livez':
        return { status: 200, text: 'ok' };
      case '/readyz': {
        const { unready } = this.#source;
        if (unready.length === 0) return { status: 200, text: 'ok' };
        return { status: 503, text: `${unready.map((reason) => `[-]${reason}\n`).join('')}readyz check failed\n` };
      }
      case '/metrics': {
        const format = negotiateMetricFormat(accept);
        const text = MetricRegistry.exposeAll(this.#source.registries, format);
        return { status: 200, text, contentType: METRIC_CONTENT_TYPES[format] };
      }
      default:
        return { status: 404, text: '404 page not found\n' };
    }
  }
}
