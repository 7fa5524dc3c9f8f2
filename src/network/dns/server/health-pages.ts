import type { IncomingMessage, ServerResponse } from 'node:http';
import { METRIC_CONTENT_TYPES, type MetricRegistry, negotiateMetricFormat } from '../../../base/index.ts';
import { Listener } from '../../../wire/listen/index.ts';

const LIMITS = { maxConnections: 64, headersTimeoutMs: 5000, requestTimeoutMs: 5000, maxHeaderBytes: 8192 };

/** What the pages say. */
export interface HealthSource {
  /** The names of what is not ready; none when all is. */
  notReady(): readonly string[];
  readonly metrics: MetricRegistry;
}

/**
 * `/health`, `/ready` and `/metrics`, as CoreDNS has them on ports of their own. Each port serves all of them.
 *
 * Ends: with `close`.
 */
export class HealthPages {
  readonly #listener: Listener;

  static async open(host: string, port: number, source: HealthSource): Promise<HealthPages> {
    const pages = new HealthPages(source);
    await pages.#listener.open(host, port);
    return pages;
  }

  private constructor(source: HealthSource) {
    this.#listener = new Listener({
      limits: LIMITS,
      http1: { request: (message, response) => answer(message, response, source) },
    });
  }

  get port(): number {
    return this.#listener.address.port;
  }

  async close(): Promise<void> {
    await this.#listener.end();
  }
}

function answer(message: IncomingMessage, response: ServerResponse, source: HealthSource): void {
  message.resume();
  const [path] = (message.url ?? '').split('?');
  switch (path) {
    case '/health':
      return send(response, 200, 'OK');
    case '/ready': {
      const missing = source.notReady();
      return missing.length === 0 ? send(response, 200, 'OK') : send(response, 503, missing.join(','));
    }
    case '/metrics': {
      const format = negotiateMetricFormat(message.headers.accept ?? '');
      return send(response, 200, source.metrics.expose(format), METRIC_CONTENT_TYPES[format]);
    }
    default:
      return send(response, 404, '404 page not found\n');
  }
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
  response.end(text);
}
