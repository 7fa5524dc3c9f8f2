import { METRIC_CONTENT_TYPES, MetricRegistry, negotiateMetricFormat } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';

/** A path for scrapers, in Prometheus' text format or, when the client asks for it, as OpenMetrics. */
export class MetricsPath implements PathHandler {
  readonly #path: string;
  readonly #registries: () => readonly MetricRegistry[];

  constructor(path: string, registries: () => readonly MetricRegistry[]) {
    this.#path = path;
    this.#registries = registries;
  }

  handle(call: Call): Answer | undefined {
    if (call.request.path !== this.#path) return undefined;
    const format = negotiateMetricFormat(call.request.header('accept') ?? '');
    const body = MetricRegistry.exposeAll(this.#registries(), format);
    return { type: 'bytes', code: 200, contentType: METRIC_CONTENT_TYPES[format], body };
  }
}
