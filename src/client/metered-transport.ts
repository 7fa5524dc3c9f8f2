import { type Clock, type Counter, type Histogram, MetricRegistry } from '../base/index.ts';
import type { Transport, TransportRequest, TransportResponse, ValueTransport } from './transport.ts';

export interface MeterOptions {
  /** The server's label value: `host:port`. */
  readonly host: string;
  readonly clock: Clock;
}

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** Counts clients' requests and measures their latency, under the names of Kubernetes' programs. */
export class ClientMetrics {
  readonly registry = new MetricRegistry();
  readonly #total = this.registry.counter({
    name: 'rest_client_requests_total',
    help: 'Requests by method, server and response code.',
    labels: ['code', 'method', 'host'],
  });
  readonly #seconds = this.registry.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'How long it takes until an answer begins.',
    labels: ['verb', 'host'],
    buckets: SECONDS,
  });

  /** Wraps a transport to measure it. */
  meter(transport: Transport, options: MeterOptions): Transport {
    const { host } = options;
    return new MeteredTransport(transport, options.clock, (method, code) => ({
      total: this.#total.with({ code, method, host }),
      seconds: this.#seconds.with({ verb: method, host }),
    }));
  }
}

interface Meters {
  readonly total: Counter;
  readonly seconds: Histogram;
}

class MeteredTransport implements Transport {
  readonly isLocal: boolean | undefined;
  readonly values: ValueTransport | undefined;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #metersOf: (method: string, code: string) => Meters;
  /** By method and code: looking meters up by labels would be the most expensive step here. */
  readonly #known = new Map<string, Meters>();

  constructor(transport: Transport, clock: Clock, metersOf: (method: string, code: string) => Meters) {
    this.#transport = transport;
    this.#clock = clock;
    this.#metersOf = metersOf;
    this.isLocal = transport.isLocal;
    this.values = transport.values;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const clock = this.#clock;
    const method = METHODS.has(request.method) ? request.method : 'other';
    const start = clock.monotonic();
    let code = '<error>';
    try {
      const response = await this.#transport.send(request);
      code = String(response.status);
      return response;
    } finally {
      const key = method + code;
      let meters = this.#known.get(key);
      if (meters === undefined) this.#known.set(key, (meters = this.#metersOf(method, code)));
      meters.total.add();
      meters.seconds.observe((clock.monotonic() - start) / 1000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }
}
