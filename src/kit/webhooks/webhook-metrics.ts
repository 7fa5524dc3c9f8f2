import { DEFAULT_BUCKETS, type MetricRegistry, RealClock } from '../../base/index.ts';
import type { KindAdmission } from './admission.ts';
import { pathOf } from './admission-configuration.ts';
import type { WebhookHandler } from './webhook-handler.ts';

/** Wraps a handler so that its answers are counted. */
export type WebhookMeter = (path: string, handler: WebhookHandler) => WebhookHandler;

/** Counts answers of webhooks, and measures how long they take. */
export function webhookMeter(metrics: MetricRegistry): WebhookMeter {
  const clock = new RealClock(); // answers take real time
  const labels = ['path', 'outcome'] as const;
  const count = metrics.counter({
    name: 'keelson_webhook_requests_total',
    help: 'Requests that webhooks have answered.',
    labels,
  });
  const seconds = metrics.histogram({
    name: 'keelson_webhook_duration_seconds',
    help: 'How long webhooks take to answer.',
    labels: ['path'],
    buckets: DEFAULT_BUCKETS,
  });
  return (path, handler) => {
    const metered: WebhookHandler = async (review, context) => {
      const startMs = clock.monotonic();
      let outcome = 'failed';
      try {
        const answer = await handler(review, context);
        outcome = 'answered';
        return answer;
      } finally {
        count.with({ path, outcome }).add();
        seconds.with({ path }).observe((clock.monotonic() - startMs) / 1000);
      }
    };
    const { maxBodyBytes } = handler;
    return maxBodyBytes === undefined ? metered : Object.assign(metered, { maxBodyBytes });
  };
}

/** Wraps an admission so that its answers are counted. */
export function metered(admission: KindAdmission, meter: WebhookMeter): KindAdmission {
  const { name, mutate, validate } = admission;
  return {
    ...admission,
    ...(mutate === undefined ? {} : { mutate: meter(pathOf(name, 'mutate'), mutate) }),
    ...(validate === undefined ? {} : { validate: meter(pathOf(name, 'validate'), validate) }),
  };
}
