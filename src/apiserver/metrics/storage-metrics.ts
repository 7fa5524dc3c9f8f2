import type { Clock, Counter, Histogram, MetricRegistry } from '../../base/index.ts';

const SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

export type StorageOperation = 'get' | 'list' | 'create' | 'update' | 'delete';

/**
 * Counts and times the operations of the store by kind of object, under upstream's metric names, which date from when etcd was the only
 * store.
 */
export class StorageMetrics {
  readonly #clock: Clock;
  readonly #families;

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    const byOperation = ['group', 'resource', 'operation'] as const;
    const byKind = ['group', 'resource'] as const;
    this.#families = {
      requests: metrics.counter({
        name: 'etcd_requests_total',
        help: 'Requests to the store, by operation and kind of object.',
        labels: byOperation,
      }),
      errors: metrics.counter({
        name: 'etcd_request_errors_total',
        help: 'Requests to the store that failed.',
        labels: byOperation,
      }),
      seconds: metrics.histogram({
        name: 'etcd_request_duration_seconds',
        help: 'How long the store takes, by operation and kind of object.',
        labels: byOperation,
        buckets: SECONDS,
      }),
      lists: metrics.counter({
        name: 'apiserver_storage_list_total',
        help: 'Lists read from the store.',
        labels: byKind,
      }),
      fetched: metrics.counter({
        name: 'apiserver_storage_list_fetched_objects_total',
        help: 'Objects read from the store for lists.',
        labels: byKind,
      }),
      evaluated: metrics.counter({
        name: 'apiserver_storage_list_evaluated_objects_total',
        help: 'Objects that selectors of lists have looked at.',
        labels: byKind,
      }),
      returned: metrics.counter({
        name: 'apiserver_storage_list_returned_objects_total',
        help: 'Objects that lists have selected.',
        labels: byKind,
      }),
    };
  }

  /** The series of one kind. */
  of(kind: { readonly group: string; readonly plural: string }): KindStorageMetrics {
    const labels = { group: kind.group, resource: kind.plural };
    const { requests, errors, seconds, lists, fetched, evaluated, returned } = this.#families;
    return new KindStorageMetrics({
      clock: this.#clock,
      operation: (operation) => ({
        requests: requests.with({ ...labels, operation }),
        seconds: seconds.with({ ...labels, operation }),
        errors: () => errors.with({ ...labels, operation }),
      }),
      lists: () => lists.with(labels),
      fetched: () => fetched.with(labels),
      evaluated: () => evaluated.with(labels),
      returned: () => returned.with(labels),
    });
  }
}

interface OperationSeries {
  readonly requests: Counter;
  readonly seconds: Histogram;
  readonly errors: () => Counter;
}

interface KindSeries {
  readonly clock: Clock;
  readonly operation: (operation: StorageOperation) => OperationSeries;
  readonly lists: () => Counter;
  readonly fetched: () => Counter;
  readonly evaluated: () => Counter;
  readonly returned: () => Counter;
}

/** Series are created on first use, so that unused kinds have none. */
export class KindStorageMetrics {
  readonly #series: KindSeries;
  readonly #operations = new Map<StorageOperation, OperationSeries>();

  constructor(series: KindSeries) {
    this.#series = series;
  }

  /** The start time of an operation; for `ended`. */
  begin(): number {
    return this.#series.clock.monotonic();
  }

  ended(operation: StorageOperation, start: number, hasFailed = false): void {
    let series = this.#operations.get(operation);
    if (series === undefined) this.#operations.set(operation, (series = this.#series.operation(operation)));
    series.requests.add();
    series.seconds.observe((this.#series.clock.monotonic() - start) / 1000);
    if (hasFailed) series.errors().add();
  }

  listed(count: number): void {
    this.#series.lists().add();
    this.#series.fetched().add(count);
  }

  selected(evaluated: number, returned: number): void {
    this.#series.evaluated().add(evaluated);
    this.#series.returned().add(returned);
  }
}
