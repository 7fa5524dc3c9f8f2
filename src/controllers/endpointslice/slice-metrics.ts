import { exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import type { Observed, Service } from '../../client/index.ts';

/** The slices written in one run. */
export interface SlicesWritten {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
}

/** The endpoints added and removed in one run. */
export interface EndpointsChanged {
  readonly added: number;
  readonly removed: number;
  /** Set by controllers that count updated endpoints. */
  readonly updated?: number;
}

/** The figures of one Service or Endpoints object. */
export interface SliceFigures {
  readonly endpoints: number;
  readonly slices: number;
  /** The minimum number of slices for the endpoints. */
  readonly desiredSlices: number;
  readonly trafficDistribution?: string | undefined;
}

/** Metrics shared by the controllers that write slices; `prefix` begins their names, as in kube-controller-manager. */
export class SliceMetrics {
  readonly #changes;
  readonly #added;
  readonly #removed;
  /** By key. */
  readonly figures = new Map<string, SliceFigures>();

  constructor(metrics: MetricRegistry, { prefix, of }: { readonly prefix: string; readonly of: string }) {
    const perSync = (what: string): Histogram =>
      metrics
        .histogram({
          name: `${prefix}_endpoints_${what}_per_sync`,
          help: `Endpoints ${what} in a run for ${of}.`,
          buckets: exponentialBuckets(2, 2, 15),
        })
        .with();
    this.#added = perSync('added');
    this.#removed = perSync('removed');
    this.#changes = metrics.counter({
      name: `${prefix}_changes`,
      help: 'EndpointSlices written, by what was done.',
      labels: ['operation'],
    });
    const total = (name: string, help: string, read: (figures: SliceFigures) => number): void =>
      metrics.callback({ name: `${prefix}_${name}`, help }, () =>
        [...this.figures.values()].reduce((sum, figures) => sum + read(figures), 0),
      );
    total('endpoints_desired', 'Endpoints that there should be.', ({ endpoints }) => endpoints);
    total('num_endpoint_slices', 'EndpointSlices that there are.', ({ slices }) => slices);
    total(
      'desired_endpoint_slices',
      'EndpointSlices that there would be if all were full.',
      ({ desiredSlices }) => desiredSlices,
    );
  }

  written(written: SlicesWritten): void {
    for (const operation of ['create', 'update', 'delete'] as const)
      if (written[operation] > 0) this.#changes.with({ operation }).add(written[operation]);
  }

  endpointsChanged({ added, removed }: EndpointsChanged): void {
    this.#added.observe(added);
    this.#removed.observe(removed);
  }
}

/** Metrics of the EndpointSlice controller in addition to the shared ones. */
export class ServiceSliceMetrics extends SliceMetrics {
  readonly #changedPerSync;
  readonly #syncs;

  constructor(metrics: MetricRegistry) {
    const prefix = 'endpoint_slice_controller';
    super(metrics, { prefix, of: 'a Service' });
    this.#changedPerSync = metrics.histogram({
      name: `${prefix}_endpointslices_changed_per_sync`,
      help: 'EndpointSlices changed in a run for a Service.',
      labels: ['topology', 'traffic_distribution'],
    });
    this.#syncs = metrics.counter({
      name: `${prefix}_syncs`,
      help: 'Runs for a Service, by how they ended.',
      labels: ['result'],
    });
    metrics.callback(
      {
        name: `${prefix}_services_count_by_traffic_distribution`,
        help: 'Services that say where their traffic should go.',
        labels: ['traffic_distribution'],
      },
      () => {
        const counts = new Map<string, number>();
        for (const { trafficDistribution: wish } of this.figures.values())
          if (wish !== undefined) counts.set(wish, (counts.get(wish) ?? 0) + 1);
        return [...counts].map(([traffic_distribution, value]) => ({ labels: { traffic_distribution }, value }));
      },
    );
  }

  changed({ spec }: Observed<Service>, isByZone: boolean, slices: number): void {
    const labels = {
      topology: isByZone ? 'Auto' : 'Disabled',
      traffic_distribution: isByZone ? '' : (spec?.trafficDistribution ?? ''),
    };
    this.#changedPerSync.with(labels).observe(slices);
  }

  synced(result: 'success' | 'error'): void {
    this.#syncs.with({ result }).add();
  }
}

/** The number of slices needed when each holds `capacity` endpoints. */
export function slicesFor(endpoints: number, capacity: number): number {
  return Math.ceil(endpoints / capacity);
}
