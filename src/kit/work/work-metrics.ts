import type { MetricRegistry } from '../../base/index.ts';
import { type QueueMetrics, WorkQueueMetrics } from '../../client/index.ts';
import type { ReconcileRecord } from '../trace.ts';

/** Upper bounds in seconds, from work inside the process to work that waits for other systems. */
const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
] as const;

/** The metrics of all workers of an app, with controller-runtime's names. */
export class WorkMetrics {
  readonly #queues: WorkQueueMetrics;
  readonly #total;
  readonly #errors;
  readonly #seconds;
  readonly #active;
  readonly #concurrency;

  constructor(registry: MetricRegistry) {
    const labels = ['controller'] as const;
    this.#queues = new WorkQueueMetrics(registry);
    this.#total = registry.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles, by how they ended.',
      labels: ['controller', 'result'],
    });
    this.#errors = registry.counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Reconciles that failed.',
      labels,
    });
    this.#seconds = registry.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'How long a reconcile takes.',
      labels,
      buckets: BUCKETS,
    });
    this.#active = registry.gauge({ name: 'controller_runtime_active_workers', help: 'Reconciles under way.', labels });
    this.#concurrency = registry.gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Reconciles that may be under way at once.',
      labels,
    });
  }

  queue({ controller, queueName }: { controller: string; queueName: string }, concurrency: number): QueueMetrics {
    this.#concurrency.with({ controller }).set(concurrency);
    this.#errors.with({ controller }).add(0);
    return this.#queues.queue(queueName);
  }

  begin(controller: string): void {
    this.#active.with({ controller }).add(1);
  }

  end({ controller, outcome, durationMs }: ReconcileRecord, isRequeuedAfter: boolean): void {
    this.#active.with({ controller }).add(-1);
    this.#seconds.with({ controller }).observe(durationMs / 1000);
    if (outcome === 'failed') this.#errors.with({ controller }).add();
    this.#total.with({ controller, result: resultOf(outcome, isRequeuedAfter) }).add();
  }
}

function resultOf(outcome: ReconcileRecord['outcome'], isRequeuedAfter: boolean): string {
  if (outcome === 'failed') return 'error';
  if (outcome === 'done') return isRequeuedAfter ? 'requeue_after' : 'success';
  return 'requeue';
}
