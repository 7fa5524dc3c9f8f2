import type { Clock, MetricRegistry } from '../../base/index.ts';

/** Whose conditions were evaluated, for which requests. */
export interface ConditionLabels {
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  readonly type: 'admit' | 'validating' | 'validate';
  readonly operation: string;
}

const LABELS = ['name', 'kind', 'type', 'operation'] as const;
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/** Metrics of the match conditions of webhooks and policies, under upstream's names. */
export class ConditionMetrics {
  readonly #clock: Clock;
  readonly #errors;
  readonly #exclusions;
  readonly #seconds;

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    this.#errors = metrics.counter({
      name: 'apiserver_admission_match_condition_evaluation_errors_total',
      help: 'Match conditions that could not be evaluated.',
      labels: LABELS,
    });
    this.#exclusions = metrics.counter({
      name: 'apiserver_admission_match_condition_exclusions_total',
      help: 'Requests that match conditions kept from a webhook.',
      labels: LABELS,
    });
    this.#seconds = metrics.histogram({
      name: 'apiserver_admission_match_condition_evaluation_seconds',
      help: 'How long evaluating match conditions takes.',
      labels: LABELS,
      buckets: SECONDS,
    });
  }

  /** The start time for `evaluated`. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** `errors` is how many of the conditions failed. */
  evaluated(labels: ConditionLabels, start: number, errors: number): void {
    this.#seconds.with({ ...labels }).observe((this.now() - start) / 1000);
    if (errors > 0) this.#errors.with({ ...labels }).add(errors);
  }

  excluded(labels: ConditionLabels): void {
    this.#exclusions.with({ ...labels }).add();
  }
}
