import type { MetricRegistry } from '../base/index.ts';

/** Kubernetes' metrics of unavailable APIServices. */
export class AvailabilityMetrics {
  readonly #isAvailable = new Map<string, boolean>();
  readonly #turnedUnavailable;

  constructor(metrics: MetricRegistry) {
    metrics.callback(
      {
        name: 'aggregator_unavailable_apiservice',
        help: 'Whether an APIService is unavailable, by its name.',
        labels: ['name'],
      },
      () => Array.from(this.#isAvailable, ([name, is]) => ({ labels: { name }, value: is ? 0 : 1 })),
    );
    this.#turnedUnavailable = metrics.counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: 'How often an APIService became unavailable, by its name and the reason.',
      labels: ['name', 'reason'],
    });
  }

  set(name: string, isAvailable: boolean): void {
    this.#isAvailable.set(name, isAvailable);
  }

  count(name: string, reason: string): void {
    this.#turnedUnavailable.with({ name, reason }).add();
  }

  forget(name: string): void {
    this.#isAvailable.delete(name);
  }
}
