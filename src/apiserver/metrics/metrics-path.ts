import { METRIC_CONTENT_TYPES, MetricRegistry, negotiateMetricFormat } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';

/** The header that tells scrapers since when the process counts. */
export function processStart(startedAtMs: number): Readonly<Record<string, string>> {
  return { 'process-start-time-unix': String(Math.trunc(startedAtMs / 1000)) };
}

/** A path for scrapers, in Prometheus' text format or, when the client asks for it, as OpenMetrics. */
export class MetricsPath implements PathHandler {
  readonly #path: string;
  readonly #registries: () => readonly MetricRegistry[];
  readonly #headers: Readonly<Record<string, string>>;

  /** `startedAtMs` is when the process started. */
  constructor(path: string, registries: () => readonly MetricRegistry[], { startedAtMs }: { startedAtMs: number }) {
    this.#path = path;
    this.#registries = registries;
    this.#headers = processStart(startedAtMs);
  }

  handle(call: Call): Answer | undefined {
    if (call.request.path !== this.#path) return undefined;
    const format = negotiateMetricFormat(call.request.header('accept') ?? '');
    const body = MetricRegistry.exposeAll(this.#registries(), format);
    return { type: 'bytes', code: 200, contentType: METRIC_CONTENT_TYPES[format], body, headers: this.#headers };
  }
}
