import { exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import { type EndpointsChanged, SliceMetrics } from '../endpointslice/slice-metrics.ts';

const PREFIX = 'endpoint_slice_mirroring_controller';

/** Metrics of mirrored slices, under kube-controller-manager's names. */
export class MirroringMetrics extends SliceMetrics {
  readonly #updated: Histogram;
  /** Addresses skipped per run. */
  readonly skipped: Histogram;
  readonly seconds: Histogram;

  constructor(metrics: MetricRegistry) {
    super(metrics, { prefix: PREFIX, of: 'an Endpoints object' });
    const histogram = (name: string, help: string, first: number): Histogram =>
      metrics.histogram({ name: `${PREFIX}_${name}`, help, buckets: exponentialBuckets(first, 2, 15) }).with();
    this.#updated = histogram('endpoints_updated_per_sync', 'Endpoints changed in a run for an Endpoints object.', 2);
    this.skipped = histogram('addresses_skipped_per_sync', 'Addresses that are left out in a run.', 2);
    this.seconds = histogram('endpoints_sync_duration', 'How long a run takes, in seconds.', 0.001);
  }

  override endpointsChanged(changed: EndpointsChanged): void {
    super.endpointsChanged(changed);
    this.#updated.observe(changed.updated ?? 0);
  }
}
