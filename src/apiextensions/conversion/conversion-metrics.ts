import { exponentialBuckets, type MetricRegistry } from '../../base/index.ts';

/** Why a webhook's conversion failed, for metrics. */
export type ConversionFailure =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

/** One conversion by a webhook, successful or not. */
export interface MeasuredConversion {
  readonly definition: string;
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly seconds: number;
  readonly failure?: ConversionFailure;
}

const CALL_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];

/** The number, duration and failures of webhook conversions, under upstream's names. */
export class ConversionMetrics {
  readonly #calls;
  readonly #callSeconds;
  readonly #definitionSeconds;

  constructor(metrics: MetricRegistry) {
    this.#calls = metrics.counter({
      name: 'apiserver_conversion_webhook_request_total',
      help: 'Conversions by webhooks, and why they failed.',
      labels: ['result', 'failure_type'],
    });
    this.#callSeconds = metrics.histogram({
      name: 'apiserver_conversion_webhook_duration_seconds',
      help: 'How long conversions by webhooks take.',
      labels: ['result', 'failure_type'],
      buckets: CALL_SECONDS,
    });
    this.#definitionSeconds = metrics.histogram({
      name: 'apiserver_crd_conversion_webhook_duration_seconds',
      help: 'How long conversions by webhooks take, by definition and versions.',
      labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
      buckets: exponentialBuckets(0.001, 2, 15),
    });
  }

  observe({ definition, fromVersion, toVersion, seconds, failure }: MeasuredConversion): void {
    const labels = { result: failure === undefined ? 'success' : 'failure', failure_type: failure ?? '' };
    this.#calls.with(labels).add();
    this.#callSeconds.with(labels).observe(seconds);
    const versions = { crd_name: definition, from_version: fromVersion, to_version: toVersion };
    this.#definitionSeconds.with({ ...versions, succeeded: String(failure === undefined) }).observe(seconds);
  }
}
