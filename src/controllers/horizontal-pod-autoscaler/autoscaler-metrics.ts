import { exponentialBuckets, type MetricRegistry } from '../../base/index.ts';

/** What an autoscaler does to its target, or what a metric proposes. */
export type ScaleAction = 'scale_up' | 'scale_down' | 'none';

/** The cause of a failure: the autoscaler's spec, or anything else. */
export type Fault = 'spec' | 'internal' | 'none';

interface Outcome {
  readonly action: ScaleAction;
  readonly error: Fault;
  readonly ms: number;
}

/** Maximum number of autoscalers with metrics of their own. */
const MAX_AUTOSCALERS = 10_000;

/** Metrics of autoscalers, under kube-controller-manager's names. */
export class AutoscalerMetrics {
  readonly #runs;
  readonly #runSeconds;
  readonly #computations;
  readonly #computationSeconds;
  /** The desired replicas by autoscaler key. */
  readonly #desired = new Map<string, number>();

  constructor(metrics: MetricRegistry, count: () => number) {
    const prefix = 'horizontal_pod_autoscaler_controller';
    const buckets = exponentialBuckets(0.001, 2, 15);
    const labels = ['action', 'error'] as const;
    const ofMetric = ['action', 'error', 'metric_type'] as const;
    const run = 'What autoscalers were looked at for, and what was wrong.';
    const look = 'Computations from single metrics, and what was wrong.';
    this.#runs = metrics.counter({ name: `${prefix}_reconciliations_total`, help: run, labels });
    this.#runSeconds = metrics.histogram({
      name: `${prefix}_reconciliation_duration_seconds`,
      help: 'How long one look at an autoscaler takes.',
      labels,
      buckets,
    });
    this.#computations = metrics.counter({
      name: `${prefix}_metric_computation_total`,
      help: look,
      labels: ofMetric,
    });
    this.#computationSeconds = metrics.histogram({
      name: `${prefix}_metric_computation_duration_seconds`,
      help: 'How long the computation from one metric takes.',
      labels: ofMetric,
      buckets,
    });
    const total = { name: `${prefix}_num_horizontal_pod_autoscalers`, help: 'Autoscalers that there are.' };
    metrics.callback(total, count);
    metrics.callback(
      {
        name: `${prefix}_desired_replicas`,
        help: 'Replicas that autoscalers ask for.',
        labels: ['namespace', 'hpa_name'],
      },
      () =>
        [...this.#desired].map(([key, value]) => {
          const [namespace = '', hpa_name = ''] = key.split('/');
          return { labels: { namespace, hpa_name }, value };
        }),
    );
  }

  looked({ action, error, ms }: Outcome): void {
    this.#runs.with({ action, error }).add();
    this.#runSeconds.with({ action, error }).observe(ms / 1000);
  }

  computed(metricType: string, { action, error, ms }: Outcome): void {
    const labels = { action, error, metric_type: metricType };
    this.#computations.with(labels).add();
    this.#computationSeconds.with(labels).observe(ms / 1000);
  }

  desires(key: string, replicas: number): void {
    if (this.#desired.size < MAX_AUTOSCALERS || this.#desired.has(key)) this.#desired.set(key, replicas);
  }

  forget(key: string): void {
    this.#desired.delete(key);
  }
}

export function actionOf(current: number, wanted: number): ScaleAction {
  if (wanted === current) return 'none';
  return wanted > current ? 'scale_up' : 'scale_down';
}
