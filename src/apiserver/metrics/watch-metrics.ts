import { type Counter, exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import type { Resource } from '../resource.ts';

/** Counts the events that watches have sent over the network, under upstream's metric names. */
export class WatchMetrics {
  readonly #total;
  readonly #sizes;

  constructor(metrics: MetricRegistry) {
    const labels = ['group', 'version', 'resource'] as const;
    this.#total = metrics.counter({ name: 'apiserver_watch_events_total', help: 'Events sent to watches.', labels });
    this.#sizes = metrics.histogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes of the events sent to watches.',
      labels,
      buckets: exponentialBuckets(1024, 2, 8),
    });
  }

  /** The series of one resource. */
  of({ group, version, plural }: Resource): KindWatchMetrics {
    const labels = { group, version, resource: plural };
    return new KindWatchMetrics(this.#total.with(labels), this.#sizes.with(labels));
  }
}

export class KindWatchMetrics {
  readonly #total: Counter;
  readonly #sizes: Histogram;

  constructor(total: Counter, sizes: Histogram) {
    this.#total = total;
    this.#sizes = sizes;
  }

  sent(bytes: number): void {
    this.#total.add();
    this.#sizes.observe(bytes);
  }
}
