import { METRICS_CONTENT_TYPE } from '../../base/index.ts';
import type { MetricRegistry } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';

/** `/metrics`, in Prometheus' text format. */
export class MetricsPath implements PathHandler {
  readonly #metrics: MetricRegistry;

  constructor(metrics: MetricRegistry) {
    this.#metrics = metrics;
  }

  handle(call: Call): Answer | undefined {
    if (call.path !== '/metrics') return undefined;
    return { type: 'bytes', code: 200, contentType: METRICS_CONTENT_TYPE, body: this.#metrics.expose() };
  }
}
