import type { MetricRegistry } from '../../base/index.ts';
import type { HookType } from './hook.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const MAX_CODE = 600;

export type RejectionCause = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

/** How one call of a webhook ended. */
export interface HookCall {
  readonly name: string;
  readonly type: HookType;
  readonly operation: string;
  readonly seconds: number;
  readonly code: number;
  /** Why the request is refused; absent when it is not. */
  readonly rejection?: RejectionCause;
}

/** Metrics of webhook calls, under upstream's names. */
export class WebhookMetrics {
  readonly #durations;
  readonly #requests;
  readonly #rejections;
  readonly #failOpen;

  constructor(metrics: MetricRegistry) {
    this.#durations = metrics.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'How long an admission webhook takes, and whether the request was refused.',
      labels: ['name', 'type', 'operation', 'rejected'],
      buckets: SECONDS,
    });
    this.#requests = metrics.counter({
      name: 'apiserver_admission_webhook_request_total',
      help: 'Calls of admission webhooks, by the code that came back.',
      labels: ['name', 'type', 'operation', 'code', 'rejected'],
    });
    this.#rejections = metrics.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Requests that were refused because of an admission webhook, by why.',
      labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    });
    this.#failOpen = metrics.counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Calls of admission webhooks that failed without consequence for the request.',
      labels: ['name', 'type'],
    });
  }

  ended({ name, type, operation, seconds, code: got, rejection }: HookCall): void {
    const code = String(Math.min(got, MAX_CODE));
    const rejected = String(rejection !== undefined);
    this.#requests.with({ name, type, operation, code, rejected }).add();
    this.#durations.with({ name, type, operation, rejected }).observe(seconds);
    if (rejection === undefined) return;
    this.#rejections.with({ name, type, operation, error_type: rejection, rejection_code: code }).add();
  }

  failedOpen(name: string, type: HookType): void {
    this.#failOpen.with({ name, type }).add();
  }
}
