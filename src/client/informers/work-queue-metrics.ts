import { type Counter, exponentialBuckets, type Gauge, type Histogram, type MetricRegistry } from '../../base/index.ts';

/** The metrics of one queue. */
export interface QueueMetrics {
  readonly depth: Gauge;
  readonly adds: Counter;
  readonly retries: Counter;
  readonly waitSeconds: Histogram;
  readonly workSeconds: Histogram;
  /** `read` returns the ages, in seconds, of the items in work; called at every scrape. */
  observeWork(read: () => readonly number[]): void;
}

/** The metrics of all queues of a process, under the names of Kubernetes' controllers. */
export class WorkQueueMetrics {
  readonly #depth;
  readonly #adds;
  readonly #retries;
  readonly #waitSeconds;
  readonly #workSeconds;
  readonly #underWay = new Map<string, (() => readonly number[])[]>();

  constructor(registry: MetricRegistry) {
    const labels = ['name'] as const;
    const buckets = exponentialBuckets(1e-8, 10, 10).map((bound) => Number(bound.toPrecision(1)));
    const named = (name: string, help: string): { name: string; help: string; labels: typeof labels } => ({
      name: `workqueue_${name}`,
      help,
      labels,
    });
    this.#depth = registry.gauge(named('depth', 'Items that wait in the queue.'));
    this.#adds = registry.counter(named('adds_total', 'Items added to the queue.'));
    this.#retries = registry.counter(named('retries_total', 'Items added again after a failure.'));
    this.#waitSeconds = registry.histogram({
      ...named('queue_duration_seconds', 'How long an item waits in the queue before it is taken.'),
      buckets,
    });
    this.#workSeconds = registry.histogram({
      ...named('work_duration_seconds', 'How long working on an item takes.'),
      buckets,
    });
    registry.callback(
      named('unfinished_work_seconds', 'Time spent so far on items that are being worked on, added up.'),
      () => this.#read((ages) => ages.reduce((sum, age) => sum + age, 0)),
    );
    registry.callback(
      named('longest_running_processor_seconds', 'Time spent so far on the item that takes longest.'),
      () => this.#read((ages) => Math.max(0, ...ages)),
    );
  }

  /** The metrics of one queue. */
  queue(name: string): QueueMetrics {
    return {
      depth: this.#depth.with({ name }),
      adds: this.#adds.with({ name }),
      retries: this.#retries.with({ name }),
      waitSeconds: this.#waitSeconds.with({ name }),
      workSeconds: this.#workSeconds.with({ name }),
      observeWork: (read) => void this.#underWay.set(name, [...(this.#underWay.get(name) ?? []), read]),
    };
  }

  #read(summary: (ages: readonly number[]) => number): { labels: { name: string }; value: number }[] {
    return [...this.#underWay].map(([name, reads]) => ({
      labels: { name },
      value: summary(reads.flatMap((read) => read())),
    }));
  }
}
