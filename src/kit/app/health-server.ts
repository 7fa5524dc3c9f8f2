import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  aborted,
  METRIC_CONTENT_TYPES,
  MetricRegistry,
  negotiateMetricFormat,
  type Runnable,
} from '../../base/index.ts';
import { Listener } from '../../wire/listen/index.ts';

/** Where an app answers probes and scrapes over HTTP. */
export interface HealthOptions {
  /** Default 127.0.0.1; a kubelet's probes need `0.0.0.0`. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Called with the address once the server listens. */
  onListening?(address: { readonly host: string; readonly port: number }): void;
}

/** The app's answers to probes and scrapes. */
export interface HealthSource {
  /** What keeps the app from being ready; empty when it is ready. */
  readonly unready: readonly string[];
  readonly registries: readonly MetricRegistry[];
}

export interface HealthQuestion {
  readonly method: string | undefined;
  readonly path: string;
  readonly accept: string;
}

export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
}

const LIMITS = { maxConnections: 256, headersTimeoutMs: 10_000, requestTimeoutMs: 10_000 };

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
    const listener = new Listener({
      limits: LIMITS,
      http1: { request: (request, response) => this.#respond(request, response) },
    });
    const address = await listener.open(host, port);
    this.#options.onListening?.({ host: address.address, port: address.port });
    await aborted(signal);
    await listener.end();
  }

  #respond({ method, url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const question = { method, path: url.split('?')[0] ?? '', accept: headers.accept ?? '' };
    const { status, text, contentType } = answerHealth(question, this.#source);
    response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' });
    response.end(method === 'HEAD' ? undefined : text);
  }
}

/** What is answered to probes and scrapes. */
export function answerHealth({ method, path, accept }: HealthQuestion, source: HealthSource): HealthAnswer {
  if (method !== 'GET' && method !== 'HEAD') return plainText(405, 'method not allowed\n');
  switch (path) {
    case '/healthz':
    case '/livez':
      return plainText(200, 'ok');
    case '/readyz': {
      const { unready } = source;
      if (unready.length === 0) return plainText(200, 'ok');
      return plainText(503, `${unready.map((reason) => `[-]${reason}\n`).join('')}readyz check failed\n`);
    }
    case '/metrics': {
      const format = negotiateMetricFormat(accept);
      const text = MetricRegistry.exposeAll(source.registries, format);
      return { status: 200, text, contentType: METRIC_CONTENT_TYPES[format] };
    }
    default:
      return plainText(404, '404 page not found\n');
  }
}

export function plainText(status: number, text: string): HealthAnswer {
  return { status, text, contentType: 'text/plain; charset=utf-8' };
}
